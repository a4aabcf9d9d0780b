import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CheckoutError } from '../checkoutOptions.ts'
import { type Loaders, openWith } from './openWith.ts'

const broken = new TypeError('showModal is not a function')
const loaders: Loaders = {
  modal: async () => ({ mountModal() {} }),
  manualParts: () => Promise.reject(),
  messages: async () => ({}),
}

beforeEach(() => {
  vi.useFakeTimers()
  // Matches jsdom.
  const createElement = () => {
    throw broken
  }
  vi.stubGlobal('document', { createElement })
  vi.stubGlobal('reportError', undefined)
  vi.stubGlobal('fetch', async () => Response.json({}))
})
afterEach(() => void vi.useRealTimers())

async function openBroken(onError: (error: CheckoutError) => void): Promise<void> {
  const shop = { clientSecret: 'pi_1_secret_1', merchantName: 'Kiosk', baseUrl: 'https://pay.test' }
  await openWith(loaders, { ...shop, locale: 'en', onError }).closed
}

test.each([
  ['showModal', broken],
  ['matchMedia', new ReferenceError('matchMedia is not defined')],
])('a page without %s gets one onError, and no uncaught exception', async (_, cause) => {
  vi.stubGlobal('document', {
    createElement() {
      throw cause
    },
  })
  const logged = vi.spyOn(console, 'error').mockReturnValue()
  const errors: CheckoutError[] = []
  await openBroken((error) => errors.push(error))
  const message = `The checkout could not be shown: ${cause}`
  expect(errors).toEqual([{ code: 'internal_error', message, recoverable: false }])
  expect(logged.mock.calls).toEqual([[cause]])
  expect(vi.getTimerCount()).toBe(0)
})

test('an error that a callback of the page throws is reported as uncaught', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const thrown = new Error('of the page')
  const throws = () => {
    throw thrown
  }
  await openBroken(throws)
  expect(() => vi.runAllTimers()).toThrow(thrown)
  const reportError = vi.fn()
  vi.stubGlobal('reportError', reportError)
  await openBroken(throws)
  expect(reportError.mock.calls).toEqual([[thrown]])
})
