import { createClient } from '@payment-intents/node'
import { expect, test } from 'vitest'
import { apiKey, json, serve } from '../../../node/test/stubServer.ts'
import { link } from '../../test/cliSupport.ts'
import type { LinkCommand } from './readLink.ts'
import { runLink } from './runLink.ts'

async function run(command: LinkCommand, response: object) {
  const server = await serve(json(200, response))
  const lines: string[] = []
  const client = createClient({ apiKey, baseUrl: server.url })
  for await (const line of runLink(client, command)) lines.push(line)
  return { lines, request: server.requests[0] }
}

const list = { action: 'list', active: false, json: false } as const

test('a new link is its URL', async () => {
  const params = { amount_units: 40_000_000, description: 'Term 2' }
  const create = { action: 'create', params, json: false } as const
  const { lines, request } = await run(create, link)
  expect(lines).toEqual([link.url])
  expect(request).toMatchObject({ target: 'POST /v1/payment_links', body: JSON.stringify(params) })
  expect(
    (await run({ ...create, json: true }, link)).lines.map((line) => JSON.parse(line)),
  ).toEqual([link])
})

test.each([
  [{}, '40.00 USDC  Term 2'],
  [{ max_payments: 3, payments_count: 1 }, '40.00 USDC  paid 1 of 3  Term 2'],
  [{ active: false }, '40.00 USDC  not active  Term 2'],
  [{ amount_units: null }, 'open  Term 2'],
  [
    { amount_units: null, min_units: 1_000_000, max_units: 2_000_000 },
    'open from 1.00 USDC to 2.00 USDC  Term 2',
  ],
  // Text from the service cannot control the terminal.
  [{ description: 'a\u001b[2Jb' }, '40.00 USDC  a�[2Jb'],
])('%j is a line', async (more, expected) => {
  const { lines } = await run(list, { data: [{ ...link, ...more }], has_more: false })
  expect(lines).toEqual([`${link.url}  ${expected}`])
})

test('lists take a filter', async () => {
  const page = { data: [], has_more: false }
  expect((await run(list, page)).request?.target).toBe('GET /v1/payment_links?limit=100')
  const active = await run({ ...list, active: true }, page)
  expect(active.request?.target).toBe('GET /v1/payment_links?active=true&limit=100')
})
