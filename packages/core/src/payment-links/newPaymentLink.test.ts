import { createPaymentLinkSchema, limits, paymentLinkSchema } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import type { Merchant } from '../payment-intents/creation/newIntent.ts'
import { newPaymentLink } from './newPaymentLink.ts'
import { presentPaymentLink } from './presentPaymentLink.ts'

const wallet = '0xa0ee7a142d267c1f36714e4a8f75612f20a79720'
const merchant: Merchant = {
  ...{ id: 'mer_1', mode: 'testnet', defaultChain: null, allowedWallets: [], confirmations: {} },
  wallets: { base: wallet, polygon: wallet },
}
const now = Date.parse('2030-01-01T00:00:00Z')
const context = {
  ...{ merchant, now, newId: () => 'plink_1', activeLinks: 0, isReturnOrigin: false },
  ...{ picture: null, outrankedChains: [] },
  confirmations: { base: 5, polygon: 20 },
}

function link(request: object = {}, more: object = {}) {
  const body = createPaymentLinkSchema.parse({ amount_units: 1, description: 'A', ...request })
  return newPaymentLink(body, '{"a": 1.0}', { ...context, ...more })
}

test('omitted fields take the documented defaults', () => {
  expect(link()).toEqual({
    ...{ id: 'plink_1', merchantId: 'mer_1', mode: 'testnet', createdAt: now, active: true },
    ...{ amount: 1n, minAmount: null, maxAmount: null, description: 'A', metadata: '{"a": 1.0}' },
    ...{ chains: ['base', 'polygon'], maxPayments: null, paymentsCount: 0, outrankedChains: [] },
    ...{ expiresAt: null, returnUrl: null, picture: null },
  })
})

test('is presented as its schema says, with its metadata to the byte', () => {
  const open = { amount_units: null, min_units: 1, max_units: 2, max_payments: 1 }
  const text = presentPaymentLink(
    link({ ...open, expires_at: '2030-01-01T01:00:00+00:30' }, { picture: 'hash' }),
    'https://pay.example.com',
  )
  expect(text).toMatch(/,"metadata":\{"a": 1\.0\}\}$/)
  expect(paymentLinkSchema.parse(JSON.parse(text))).toMatchObject({
    ...{ url: 'https://pay.example.com/l/plink_1', payments_count: 0, ...open },
    expires_at: '2030-01-01T00:30:00.000Z',
    picture: 'https://pay.example.com/v1/pictures/hash',
  })
})

describe('its chains', () => {
  test.each([
    ['all with a wallet', undefined, { polygon: wallet }, ['polygon']],
    ['those that are named', ['base'], merchant.wallets, ['base']],
    ['in one order', ['polygon', 'base'], merchant.wallets, ['base', 'polygon']],
  ])('are %s', (_, chains, wallets, expected) => {
    expect(link({ chains }, { merchant: { ...merchant, wallets } }).chains).toEqual(expected)
  })

  test('are the chains that the service follows', () => {
    const confirmations = { base: 5 }
    expect(link({}, { confirmations }).chains).toEqual(['base'])
    const refused = () => link({ chains: ['base', 'polygon'] }, { confirmations })
    expect(refused).toThrow('does not take testnet payments on polygon')
  })

  test.each([
    [undefined, {}],
    [undefined, { solana: wallet }],
    [['polygon'], { base: wallet }],
    [['base', 'polygon'], { base: wallet }],
  ])('%j of a merchant with the wallets %j are refused', (chains, wallets) => {
    const refused = () => link({ chains }, { merchant: { ...merchant, wallets } })
    expect(refused).toThrow(expect.objectContaining({ code: 'wallet_invalid' }))
  })
})

describe('is refused', () => {
  const invalid = expect.objectContaining({ code: 'invalid_body' })

  test.each(['2030-01-01T00:00:00Z', '2029-12-31T23:59:59.999Z', '9999-12-31T23:00:00-01:00'])(
    'if it ends at %s',
    (expires_at) => {
      expect(() => link({ expires_at })).toThrow(invalid)
    },
  )

  test('if its return_url has an origin that is not registered', () => {
    const return_url = 'https://shop.example/thanks'
    expect(() => link({ return_url })).toThrow(invalid)
    expect(link({ return_url }, { isReturnOrigin: true }).returnUrl).toBe(return_url)
  })

  test('if the merchant has too many active links', () => {
    const refused = () => link({}, { activeLinks: limits.activeLinks })
    expect(refused).toThrow(expect.objectContaining({ code: 'conflict' }))
    expect(link({}, { activeLinks: limits.activeLinks - 1 }).active).toBe(true)
  })
})
