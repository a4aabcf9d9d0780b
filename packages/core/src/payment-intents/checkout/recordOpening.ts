import type { Service } from '../../service.ts'
import type { CheckoutIntent } from '../store.ts'

/** Records the first time a checkout resolves an intent. Later times write nothing. */
export async function recordOpening(
  { store, clock }: Pick<Service, 'store' | 'clock'>,
  checkoutIntent: CheckoutIntent | null,
): Promise<void> {
  if (checkoutIntent?.intent.openedAt !== null) return
  const { id, chainId } = checkoutIntent.intent
  await store.paymentIntents.markOpened(id, clock(chainId).now)
}
