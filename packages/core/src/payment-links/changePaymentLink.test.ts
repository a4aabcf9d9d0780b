import { limits } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { changePaymentLink } from './changePaymentLink.ts'
import type { PaymentLink } from './paymentLink.ts'

const now = Date.parse('2030-01-01T00:00:00Z')
const link: PaymentLink = {
  ...{ id: 'plink_1', merchantId: 'mer_1', mode: 'testnet', createdAt: now, active: true },
  ...{ amount: 1n, minAmount: null, maxAmount: null, description: 'A', metadata: '{}' },
  ...{ chains: ['base'], outrankedChains: [], maxPayments: 5, paymentsCount: 3 },
  ...{ expiresAt: now - 1, returnUrl: null, picture: 'hash' },
}
const context = { activeLinks: 0, isReturnOrigin: false, now }
const conflict = expect.objectContaining({ code: 'conflict', details: { reason: 'illegal_state' } })

test('changes what is named, and nothing else', () => {
  expect(changePaymentLink(link, {}, context)).toEqual(link)
  const change = { description: 'B', metadata: '{"a":1}', expiresAt: null, active: false }
  expect(changePaymentLink(link, change, context)).toEqual({ ...link, ...change })
})

test.each([
  [3, true],
  [null, true],
  [2, false],
])('%j is a limit of what is paid three times: %j', (maxPayments, isAllowed) => {
  const change = () => changePaymentLink(link, { maxPayments }, context)
  if (isAllowed) expect(change().maxPayments).toBe(maxPayments)
  else expect(change).toThrow(conflict)
})

test('with too many active links, a link may stay active and none may become active', () => {
  const full = { ...context, activeLinks: limits.activeLinks }
  expect(changePaymentLink(link, { active: true }, full).active).toBe(true)
  const inactive = { ...link, active: false }
  expect(() => changePaymentLink(inactive, { active: true }, full)).toThrow(conflict)
  expect(changePaymentLink(inactive, { description: 'B' }, full).description).toBe('B')
})

test('refuses an end in the past, and a page of another origin', () => {
  const invalid = expect.objectContaining({ code: 'invalid_body' })
  expect(() => changePaymentLink(link, { expiresAt: now }, context)).toThrow(invalid)
  const returnUrl = 'https://shop.example'
  expect(() => changePaymentLink(link, { returnUrl }, context)).toThrow(invalid)
})
