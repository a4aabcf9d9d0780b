import { type GaslessOffer, windows } from '@payment-intents/contract'
import type { Service } from '../../service.ts'
import type { Intent } from '../intent.ts'
import { presentResolved, withMoment } from '../present.ts'
import type { CheckoutIntent } from '../store.ts'
import { gaslessOffer } from './gaslessOffer.ts'
import { noSuchIntent } from './noSuchIntent.ts'

/** The part of an intent that a checkout shows until something happens to the intent. A server may cache it. */
export type CheckoutView = {
  readonly intent: Pick<
    Intent,
    'id' | 'version' | 'openedAt' | 'chainId' | 'merchantId' | 'expiresAt'
  >
  /** JSON text, to which {@link presentForCheckout} adds what time changes. */
  readonly text: string
  /** The message to sign to pay without gas; null if that is not possible, or an authorization is in flight. */
  readonly gasless: GaslessOffer | null
}

/** null: there is no such intent, or the service no longer follows its chain. */
export function viewForCheckout(
  service: Pick<Service, 'network'>,
  checkoutIntent: CheckoutIntent | null,
): CheckoutView | null {
  const network = checkoutIntent && service.network(checkoutIntent.intent.chainId)
  if (!network) return null
  const { intent, authorization } = checkoutIntent
  const { id, version, openedAt, chainId, merchantId, expiresAt } = intent
  return {
    intent: { id, version, openedAt, chainId, merchantId, expiresAt },
    text: presentResolved(intent, { ...checkoutIntent, network }),
    gasless: authorization?.status === 'in_flight' ? null : gaslessOffer(intent),
  }
}

/**
 * The response to the checkout, as JSON text. A server decides itself how it holds a request until a newer version
 * exists.
 * @param ageMs how long ago the intent was read; null: for this request
 * @throws {HttpError} `intent_not_found` without a view
 */
export function presentForCheckout(
  { clock, gasless }: Pick<Service, 'clock' | 'gasless'>,
  view: CheckoutView | null,
  ageMs: number | null = null,
): string {
  if (!view) throw noSuchIntent()
  const { intent, text } = view
  const { now } = clock(intent.chainId)
  const isLongEnough = intent.expiresAt - now / 1000 > windows.gaslessOffered
  return withMoment(text, {
    now,
    asOf: ageMs === null ? null : now - ageMs,
    gasless: view.gasless && isLongEnough && gasless.isOffered(intent) ? view.gasless : null,
  })
}
