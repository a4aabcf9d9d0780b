// @vitest-environment happy-dom
import type { CheckoutError, OpenServiceModalOptions } from '@payment-intents/browser'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { checkouts, openServiceModal, resetCheckouts } from './index.ts'

afterEach(resetCheckouts)

const shop = {
  clientSecret: 'pi_1_secret_1',
  merchantName: 'Kiosk',
  baseUrl: 'https://pay.example.com',
}

/** Opens a checkout whose callbacks are listed in the order of their calls. */
function openListed(options: Partial<OpenServiceModalOptions> = {}) {
  const calls: [name: string, value?: unknown][] = []
  const checkout = openServiceModal({
    ...shop,
    onPending: (payment) => calls.push(['onPending', payment]),
    onSuccess: (payment) => calls.push(['onSuccess', payment]),
    onError: (error) => calls.push(['onError', error]),
    onClose: () => calls.push(['onClose']),
    ...options,
  } as OpenServiceModalOptions)
  return { checkout, calls }
}

test('a payment is pending, then succeeds, with the id of its secret; the page closes the checkout', async () => {
  const { checkout, calls } = openListed()
  const fake = checkouts.at(-1)
  fake?.pend()
  fake?.succeed({ tx_hash: '0x1' })
  expect(fake?.isOpen).toBe(true)
  checkout.close()
  await checkout.closed
  expect(calls).toEqual([
    [
      'onPending',
      { payment_intent_id: 'pi_1', tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    ],
    ['onSuccess', { payment_intent_id: 'pi_1', tx_hash: '0x1' }],
    ['onClose'],
  ])
  expect(fake?.isOpen).toBe(false)
})

test.each([
  ['user_rejected', true],
  ['insufficient_token', true],
  ['intent_expired', false],
] as const)('%s: recoverable is %s', (code, recoverable) => {
  const errors: CheckoutError[] = []
  openListed({ onError: (error) => errors.push(error) })
  checkouts.at(-1)?.fail(code)
  expect(errors).toEqual([{ code, message: expect.stringContaining(code), recoverable }])
})

test('calls each callback once, and none once it is closed', () => {
  const { checkout, calls } = openListed()
  const fake = checkouts.at(-1)
  fake?.fail('user_rejected')
  fake?.fail('network_error')
  checkout.close()
  checkout.close()
  expect(calls.map(([name]) => name)).toEqual(['onError', 'onClose'])
  expect(() => fake?.succeed()).toThrow('The checkout is closed: it can no longer call onSuccess.')
})

test('the same secret returns the open checkout; another closes it first', () => {
  const first = openListed()
  expect(openServiceModal(shop)).toBe(first.checkout)
  openServiceModal({ ...shop, clientSecret: 'pi_2_secret_2' })
  expect(first.calls).toEqual([['onClose']])
  expect(checkouts.map(({ isOpen }) => isOpen)).toEqual([false, true])
})

test('the URL of a link and its id are one checkout', () => {
  const { merchantName, baseUrl } = shop
  const link = openServiceModal({ merchantName, baseUrl, paymentLink: 'plink_1' })
  const url = 'https://pay.example.com/l/plink_1'
  expect(openServiceModal({ merchantName, baseUrl, paymentLink: url })).toBe(link)
})

test('a checkout that onClose opens replaces the opened checkout', () => {
  const third = { ...shop, clientSecret: 'pi_3_secret_3' }
  openListed({ onClose: () => void openServiceModal(third) })
  openServiceModal({ ...shop, clientSecret: 'pi_2_secret_2' })
  const open = checkouts.filter(({ isOpen }) => isOpen)
  expect(open.map(({ options }) => options.clientSecret)).toEqual(['pi_3_secret_3'])
})

test.each([
  ['merchantName', { merchantName: '' }],
  ['baseUrl', { baseUrl: undefined }],
  ['clientSecret` (pi_..._secret_...) or `paymentLink', { clientSecret: undefined }],
  ['clientSecret` (pi_..._secret_...) or `paymentLink', { paymentLink: 'plink_1' }],
])('without a usable %s it throws, and opens nothing', (name, options) => {
  expect(() => openListed(options as never)).toThrow(
    new TypeError(`openServiceModal needs \`${name}\`, a string.`),
  )
  expect(checkouts).toEqual([])
})

test('on a server it throws', () => {
  vi.stubGlobal('document', undefined)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(() => openServiceModal(shop)).toThrow('openServiceModal needs a browser.')
})
