import type { Service } from '../../service.ts'
import { presentResolved } from '../present.ts'
import type { CheckoutIntent } from '../store.ts'
import { gaslessOffer } from './gaslessOffer.ts'
import { noSuchIntent } from './noSuchIntent.ts'

/**
 * The response to the checkout, as JSON text. A server decides itself how it holds a request until a newer version
 * exists.
 * @param ageMs how long ago the intent was read; null: for this request
 */
export function presentForCheckout(
  service: Pick<Service, 'network' | 'clock' | 'gasless'>,
  checkoutIntent: CheckoutIntent | null,
  ageMs: number | null = null,
): string {
  const network = checkoutIntent && service.network(checkoutIntent.intent.chainId)
  if (!network) throw noSuchIntent()
  const { intent, authorization } = checkoutIntent
  const { chainId, merchantId } = intent
  const { now } = service.clock(chainId)
  // Offer nothing while an authorization is in flight.
  const isOffered =
    authorization?.status !== 'in_flight' && service.gasless.isOffered({ chainId, merchantId })
  return presentResolved(intent, {
    ...checkoutIntent,
    ...{ network, now, asOf: ageMs === null ? null : now - ageMs },
    gasless: isOffered ? gaslessOffer(intent, now) : null,
  })
}
