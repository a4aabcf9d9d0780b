import { expect, test } from 'vitest'
import { event, id, page } from '../../test/responses.ts'
import { apiKey, serve } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'

test('events are followed from page to page, each request held by the service', async () => {
  const [first, second, third] = [1, 2, 3].map((number) => ({ ...event, id: id('evt', number) }))
  const server = await serve(page([first, second], true), page([third], false))
  const client = createClient({ apiKey, baseUrl: server.url })
  const ids: string[] = []
  for await (const each of client.events.follow({ starting_after: id('evt', 0) })) {
    if (ids.push(each.id) === 3) break
  }
  expect(ids).toEqual([1, 2, 3].map((number) => id('evt', number)))
  const query = (after: number) =>
    `GET /v1/events?limit=100&starting_after=${id('evt', after)}&wait=25`
  expect(server.requests.map(({ target }) => target)).toEqual([query(0), query(2)])
})
