import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { verifyReceipt } from './verifyReceipt.ts'

/** The published vector of the reference. */
const receipt = {
  payment_intent: 'pi_test_0001',
  merchant_name: 'Kiosk',
  chain: 'base',
  chain_id: 8453,
  token_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  expected_wallet: '0x1111111111111111111111111111111111111111',
  amount_units: 12_340_000,
  expires_at: '2026-01-01T00:00:00.000Z',
  salt: `0x${'1'.padStart(64, '0')}`,
  payment_reference: '0x2ddce68075f1127f79b99bca42c33880db84b5094864bee18b40daf8228d4f9a',
  transfers: [
    {
      tx_hash: `0x${'cd'.repeat(32)}`,
      log_index: 1,
      block_timestamp: '2025-12-31T23:50:00.000Z',
      amount_units: 12_340_000,
      bound_by: 'reference',
    },
  ],
}
/** Nothing listens there. */
const nowhere = { rpcUrl: 'http://127.0.0.1:9' }
const verdictOf = (changed: object) => verifyReceipt({ ...receipt, ...changed }, nowhere)

describe('before any request to the chain', () => {
  test('the terms of the published vector match its reference', async () => {
    expect(await verdictOf({})).toMatchObject({ type: 'unknown' })
  })

  test.each([
    ['payment_intent', 'pi_test_0002'],
    ['expected_wallet', '0x1111111111111111111111111111111111111112'],
    ['amount_units', 12_340_001],
    ['expires_at', '2026-01-01T00:00:01.000Z'],
    ['salt', `0x${'2'.padStart(64, '0')}`],
    ['payment_reference', `0x${'ab'.repeat(32)}`],
  ])('another %s refutes the receipt', async (field, value) => {
    const verdict = await verdictOf({ [field]: value })
    expect(verdict).toMatchObject({ type: 'refuted', reason: 'reference' })
  })

  test.each([
    ['another token', { token_address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA' }],
    ['another chain’s token', { chain_id: 137 }],
    ['a chain that is not known', { chain_id: 1 }],
  ])('%s refutes the receipt', async (_, changed) => {
    expect(await verdictOf(changed)).toMatchObject({ type: 'refuted', reason: 'token' })
  })

  test.each([
    ['no transfers', { transfers: [] }],
    ['a transfer without a hash', { transfers: [{ ...receipt.transfers[0], tx_hash: '0x12' }] }],
    ['a transfer of a fraction', { transfers: [{ ...receipt.transfers[0], amount_units: 0.5 }] }],
    ['more transfers than are looked up', { transfers: Array(101).fill(receipt.transfers[0]) }],
    ['a price past 2^53', { amount_units: 2 ** 53 }],
    [
      'a transfer without a time',
      { transfers: [{ ...receipt.transfers[0], block_timestamp: '' }] },
    ],
    ['an invalid time', { expires_at: 'soon' }],
    ['a time with milliseconds', { expires_at: '2026-01-01T00:00:00.500Z' }],
  ])('%s is malformed', async (_, changed) => {
    expect(await verdictOf(changed)).toMatchObject({ type: 'refuted', reason: 'malformed' })
  })

  test('any value has a verdict, and a value that is no receipt causes no request', async () => {
    const fetchSpy = vi.spyOn(globalThis, 'fetch')
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (value) => {
        expect(await verifyReceipt(value, nowhere)).toMatchObject({ reason: 'malformed' })
      }),
    )
    expect(fetchSpy).not.toHaveBeenCalled()
  })

  test('addresses and hashes may be in upper case', async () => {
    const upper = (text: string) => text.toUpperCase().replace('0X', '0x')
    const verdict = await verdictOf({
      token_address: upper(receipt.token_address),
      payment_reference: upper(receipt.payment_reference),
    })
    expect(verdict).toMatchObject({ type: 'unknown' })
  })
})

test.each<[unknown, string]>([
  [{ rpc_url: 'http://127.0.0.1:9' }, 'Unknown option `rpc_url`. Did you mean `rpcUrl`?'],
  [
    { ...nowhere, timeout: 5 },
    'Unknown option `timeout`. Known are `rpcUrl`, `serviceUrl`, `signal`.',
  ],
  ['http://127.0.0.1:9', 'Pass options as an object, such as { rpcUrl: … }; received string.'],
  [undefined, 'received undefined.'],
])('options that would be ignored are an error: %o', async (options, message) => {
  const verdict = verifyReceipt(receipt, options as never)
  await expect(verdict).rejects.toThrow(message)
  await expect(verdict).rejects.toBeInstanceOf(TypeError)
})
