import { expect, test } from 'vitest'
import { apiKey, json, serve } from '../../test/stubServer.ts'
import { type Client, createClient } from '../createClient.ts'

const sent = { tx_hash: `0x${'ab'.repeat(32)}` }
const head = {
  block_number: 7,
  block_hash: sent.tx_hash,
  block_time: '2030-01-01T00:00:00.000Z',
}
const ofIntent = 'POST /v1/test_helpers/payment_intents/pi_1'
const ofChain = 'POST /v1/test_helpers/chain'

test.each<
  [string, object | undefined, (helpers: Client['testHelpers']) => Promise<unknown>, object]
>([
  [`${ofIntent}/pay`, undefined, (helpers) => helpers.pay('pi_1'), sent],
  [
    `${ofIntent}/pay`,
    { rail: 'manual' },
    (helpers) => helpers.pay('pi_1', { rail: 'manual' }),
    sent,
  ],
  [
    `${ofIntent}/underpay`,
    { missing_units: 5 },
    (helpers) => helpers.underpay('pi_1', { missing_units: 5 }),
    sent,
  ],
  [`${ofIntent}/pay_late`, undefined, (helpers) => helpers.payLate('pi_1'), sent],
  [`${ofChain}/mine`, { blocks: 5 }, (helpers) => helpers.mine({ blocks: 5 }), head],
  [
    `${ofChain}/advance_time`,
    { seconds: 60 },
    (helpers) => helpers.advanceTime({ seconds: 60 }),
    head,
  ],
  [
    `${ofChain}/mine`,
    { blocks: 5, chain: 'polygon' },
    (helpers) => helpers.mine({ blocks: 5, chain: 'polygon' }),
    head,
  ],
  [`${ofChain}/reorg`, { depth: 3 }, (helpers) => helpers.reorg({ depth: 3 }), head],
])('%s with %o', async (target, body, call, response) => {
  const server = await serve(json(200, response))
  expect(await call(createClient({ apiKey, baseUrl: server.url }).testHelpers)).toEqual(response)
  expect(server.requests.map((request) => request.target)).toEqual([target])
  expect(server.requests[0]?.body).toBe(body ? JSON.stringify(body) : '')
})

test('a payment is not sent a second time, since it would be paid twice', async () => {
  const server = await serve(json(500, { error: 'internal_error' }))
  const { testHelpers } = createClient({ apiKey, baseUrl: server.url })
  await expect(testHelpers.pay('pi_1')).rejects.toMatchObject({ attempts: 1, retryable: false })
})

test('wrong parameters are refused before anything is sent', async () => {
  const { testHelpers } = createClient({ apiKey, baseUrl: 'http://localhost:9' })
  const refusal = { code: 'invalid_body', attempts: 0 }
  await expect(testHelpers.pay('')).rejects.toMatchObject(refusal)
  await expect(testHelpers.pay('pi_1', { rail: 'by hand' as never })).rejects.toMatchObject(refusal)
  await expect(testHelpers.reorg({ depth: 65 })).rejects.toMatchObject(refusal)
})
