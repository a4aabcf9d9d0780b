import type {
  Checkout,
  CheckoutErrorCode,
  CheckoutPayment,
  OpenServiceModalOptions,
} from '@payment-intents/browser'
import { type FakeCheckout, openFakeCheckout } from './openFakeCheckout.ts'

export type { FakeCheckout }

/**
 * The checkouts that the page has opened since the last `resetCheckouts`, oldest first.
 *
 * @example
 * ```ts
 * import { checkouts } from '@payment-intents/testing/checkout'
 * import { vi } from 'vitest'
 *
 * vi.mock('@payment-intents/browser', () => import('@payment-intents/testing/checkout'))
 *
 * document.querySelector('button')?.click()
 * checkouts.at(-1)?.succeed()
 * ```
 */
export const checkouts: FakeCheckout[] = []

/**
 * Replaces the function of `@payment-intents/browser`: takes the same options, shows nothing and sends nothing. One
 * checkout is open at a time: a second call with the same secret or link returns it, any other call closes it first.
 *
 * @throws TypeError when `clientSecret` or `paymentLink`, `merchantName` or `baseUrl` is missing, or without a `document`
 */
export function openServiceModal(options: OpenServiceModalOptions): Checkout {
  return openFakeCheckout(options, checkouts)
}

/** Replaces the function of `@payment-intents/browser`; there is nothing to load. */
export async function preload(): Promise<void> {}

/** Closes the open checkout and empties `checkouts`. Call it after each test. */
export function resetCheckouts(): void {
  for (const checkout of checkouts.splice(0)) checkout.close()
}

export type { CheckoutErrorCode, CheckoutPayment }
