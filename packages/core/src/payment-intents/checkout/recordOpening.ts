import type { Service } from '../../service.ts'
import type { CheckoutView } from './presentForCheckout.ts'

/** Records the first time a checkout resolves an intent. Later times write nothing. */
export async function recordOpening(
  { store, clock }: Pick<Service, 'store' | 'clock'>,
  view: Pick<CheckoutView, 'intent'> | null,
): Promise<void> {
  if (view?.intent.openedAt !== null) return
  const { id, chainId } = view.intent
  await store.paymentIntents.markOpened(id, clock(chainId).now)
}
