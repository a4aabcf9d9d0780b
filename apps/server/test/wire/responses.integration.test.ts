import { endpoints, errorTable } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import { type ResponseOf, send, sendBytes } from './exchange.ts'
import { indent } from './indent.ts'
import { createPlaceholders } from './placeholders.ts'
import { type Recorded, requests, unreadable } from './wireRequests.ts'
import { createWorld } from './wireWorld.ts'

const { reader } = readerOfTest()

test('every response is as recorded, byte for byte', async () => {
  const world = await createWorld(reader)
  const { name, fill, mask } = createPlaceholders()
  for (const [as, value] of Object.entries(world.names)) name(as, value)
  const record: string[] = []
  const requestedOperations = new Set<string>()
  const refused = new Set<string>()

  async function exchange(requested: Recorded): Promise<string> {
    const headers = Object.fromEntries(
      Object.entries(requested.headers).map(([name, value]) => [name, fill(value)]),
    )
    const { body, ...sent } = { ...requested, headers, path: fill(requested.path) }
    const { url } = world.servers[requested.to]
    const repeat = () => send(url, { ...sent, body: body === undefined ? body : fill(body) })
    // The database has a second to respond, but a busy machine may take longer once.
    const response = await (requested.title === 'readiness'
      ? until(() => withRareCases(repeat))
      : repeat())
    const id = response.headers.find(([name]) => name === 'x-request-id')?.[1]
    if (id && !('x-request-id' in headers)) name('request_id', id)
    if (response.status === '200 OK') requestedOperations.add(operationOf(requested) ?? '')
    refused.add(/^\{"error":"(\w+)"/.exec(String(response.body))?.[1] ?? '')
    return mask(written(requested, response))
  }

  for (const request of requests) {
    if (typeof request === 'string') {
      for (const [as, value] of Object.entries(await world.run(request))) name(as, value)
      record.push(`(${request})`)
    } else {
      record.push(`# ${request.title}\n\n${shown(request)}\n\n${await exchange(request)}`)
    }
  }
  for (const [title, bytes] of Object.entries(unreadable)) {
    const response = await sendBytes(world.servers.server.url, bytes)
    const [head = '', body = ''] = response.split('\r\n\r\n')
    name('request_id', JSON.parse(body).request_id)
    record.push(`# ${title}\n\n${mask(`${head.replaceAll('\r', '')}\n\n${indent(body)}`)}`)
  }
  await expect(`${record.join('\n\n\n')}\n`).toMatchFileSnapshot('responses.txt')
  expect([...requestedOperations]).toEqual(expect.arrayContaining(Object.keys(endpoints)))
  // The tests in test/dashboard cover these two, which only people get.
  const { session_invalid, proof_required, ...ofPrograms } = errorTable
  expect([...refused]).toEqual(expect.arrayContaining(Object.keys(ofPrograms)))
})

function operationOf({ method, path }: Recorded): string | undefined {
  const [pathname = ''] = path.replace(/<\w+>/, '{id}').split('?', 1)
  const result = Object.entries(endpoints).find(
    ([, endpoint]) => endpoint.method === method && endpoint.path === pathname,
  )
  return result?.[0]
}

/** A request, with names in place of values. */
function shown({ to, method, path, headers, body = '' }: Recorded): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`.trim())
  const where = to === 'server' ? '' : ` (${to})`
  const text = body.length > 1_000 ? `${body.slice(0, 60)}… (${body.length} characters)` : body
  return [`${method} ${path}${where}`, ...lines, ...(text ? ['', text] : [])].join('\n')
}

function written({ method, unread }: Recorded, { status, headers, body }: ResponseOf): string {
  const length = headers.find(([name]) => name === 'content-length')?.[1]
  if (length && method !== 'HEAD') expect(Number(length)).toBe(body.length)
  const lines = headers
    // The length of the body differs between runs, since some values differ in length.
    .filter(([name]) => !['date', 'content-length'].includes(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}`)
  const text = unread ? '' : indent(String(body))
  return [status, ...lines, ...(text ? ['', text] : [])].join('\n')
}

async function withRareCases(repeat: () => ReturnType<typeof send>): ReturnType<typeof send> {
  const response = await repeat()
  if (response.status === '200 OK') return response
  throw new Error(`${response.status}: ${response.body}`)
}
