import { chainFacts } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { type Merchant, newTerms } from './newIntent.ts'
import { paymentReference } from './reference.ts'

const wallet = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
const checksummed = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'

const merchant: Merchant = {
  id: 'mer_1',
  mode: 'testnet',
  defaultChain: null,
  wallets: { base: wallet, polygon: wallet },
  allowedWallets: [],
  confirmations: {},
}

const context = {
  newId: () => 'pi_1',
  salt: `0x${'11'.repeat(32)}`,
  clock: () => 1_700_000_000_999,
  confirmations: { base: 5, polygon: 20 },
} as const

function terms(request: object, of: Merchant = merchant) {
  return newTerms({ amount_units: 1, ...request }, '{}', of, context)
}

test('omitted fields take the documented defaults', () => {
  expect(terms({})).toMatchObject({
    chain: 'base',
    chainId: 84532,
    wallet,
    lane: 'sdk',
    paymentLink: null,
    confirmationsRequired: 5,
    expiresInMinutes: 30,
    expiresAt: 1_700_000_000 + 30 * 60,
  })
  expect(terms({}, { ...merchant, defaultChain: 'polygon' }).chainId).toBe(80002)
})

test('the merchant’s own confirmations apply, on a chain that the server follows', () => {
  const customized = { ...merchant, confirmations: { base: 12 } }
  expect(terms({}, customized).confirmationsRequired).toBe(12)
  expect(terms({ chain: 'polygon' }, customized).confirmationsRequired).toBe(20)
  const create = () =>
    newTerms({ amount_units: 1 }, '{}', customized, { ...context, confirmations: {} })
  expect(create).toThrow('does not take testnet payments on base')
})

test('the mode is that of the merchant’s key', () => {
  expect(terms({}, { ...merchant, mode: 'mainnet' })).toMatchObject({
    mode: 'mainnet',
    chainId: 8453,
    token: chainFacts('mainnet', 'base').usdc.toLowerCase(),
  })
})

test.each([
  [0, 5],
  [-7, 5],
  [5, 5],
  [61, 60],
  [1e300, 60],
])('%d minutes become %d', (requested, effective) => {
  expect(terms({ expires_in_minutes: requested }).expiresInMinutes).toBe(effective)
})

test('the reference commits to the terms', () => {
  const created = terms({ amount_units: 7 })
  expect(created.reference).toBe(paymentReference({ ...created, to: created.wallet, amount: 7n }))
})

describe('wallet_invalid', () => {
  test.each([
    ['the zero address', { wallet_address: `0x${'0'.repeat(40)}` }, merchant],
    ['the token itself', { wallet_address: chainFacts('testnet', 'base').usdc }, merchant],
    ['a wrong checksum', { wallet_address: checksummed.replace('Ee', 'eE') }, merchant],
    [
      'one outside the allow-list',
      { wallet_address: checksummed },
      { ...merchant, allowedWallets: [`0x${'1'.repeat(40)}` as const] },
    ],
    ['none at all', {}, { ...merchant, wallets: {} }],
  ])('%s', (_name, request, of) => {
    expect(() => terms(request, of)).toThrow(expect.objectContaining({ code: 'wallet_invalid' }))
  })

  test('these are fine', () => {
    const allowed = { ...merchant, allowedWallets: [wallet] as const }
    expect(terms({ wallet_address: checksummed }, allowed).wallet).toBe(wallet)
    expect(terms({ wallet_address: wallet }).wallet).toBe(wallet)
    expect(terms({ wallet_address: `0x${wallet.slice(2).toUpperCase()}` }).wallet).toBe(wallet)
    // The merchant's own wallet is allowed even if requests may not name it.
    expect(terms({}, { ...allowed, allowedWallets: [`0x${'1'.repeat(40)}`] }).wallet).toBe(wallet)
  })
})

test('refuses a chain that is not followed', () => {
  const unfollowed = { ...context, confirmations: { base: 5 } }
  const create = () => newTerms({ amount_units: 1, chain: 'polygon' }, '{}', merchant, unfollowed)
  expect(create).toThrow(
    expect.objectContaining({
      code: 'invalid_body',
      details: expect.objectContaining({ issues: [expect.objectContaining({ path: 'chain' })] }),
    }),
  )
})

test('an intent of a link names the link', () => {
  const paying = { ...context, paymentLink: 'plink_1' }
  expect(newTerms({ amount_units: 1 }, '{}', merchant, paying).paymentLink).toBe('plink_1')
})
