import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Loaders, openWith } from './openWith.ts'
import type { CheckoutError } from './options.ts'

const broken = new TypeError('showModal is not a function')
const loaders: Loaders = {
  modal: async () => ({ mountModal() {} }),
  byHand: () => Promise.reject(),
  messages: async () => ({}),
}

beforeEach(() => {
  vi.useFakeTimers()
  // As in jsdom.
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

test('a checkout that cannot be mounted says why to onError, closes, and reports its cause', async () => {
  const errors: CheckoutError[] = []
  await openBroken((error) => errors.push(error))
  expect(errors).toEqual([
    {
      code: 'internal_error',
      message: 'The checkout could not be shown: TypeError: showModal is not a function',
      recoverable: false,
    },
  ])
  expect(() => vi.runAllTimers()).toThrow(broken)
})

test('where there is reportError, it gets the cause, and what a callback throws', async () => {
  const reportError = vi.fn()
  vi.stubGlobal('reportError', reportError)
  const thrown = new Error('of the page')
  await openBroken(() => {
    throw thrown
  })
  expect(reportError.mock.calls).toEqual([[broken], [thrown]])
  expect(vi.getTimerCount()).toBe(0)
})
