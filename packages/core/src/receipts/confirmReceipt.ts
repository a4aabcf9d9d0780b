import type { RequestOf } from '@payment-intents/contract'
import { HttpError } from '../http/httpError.ts'
import { presentConfirmedReceipt } from '../payment-intents/present.ts'
import type { Service } from '../service.ts'

/** The service's own receipt, for callers who know its salt: only a receipt reveals it. */
export async function confirmReceipt(
  { store }: Service,
  { payment_intent: id, salt }: RequestOf<'confirmReceipt'>['body'],
): Promise<string> {
  const checkoutIntent = await store.paymentIntents.findForCheckout(id)
  const isAuthentic = checkoutIntent && isSameSecret(checkoutIntent.intent.salt, salt.toLowerCase())
  const receipt = isAuthentic && presentConfirmedReceipt(checkoutIntent.intent, checkoutIntent)
  if (!receipt) throw new HttpError('not_found', 'This service has no such receipt.')
  return receipt
}

/** Takes the same time wherever the texts differ. */
function isSameSecret(secret: string, guess: string): boolean {
  let difference = secret.length ^ guess.length
  for (let at = 0; at < secret.length; at += 1) {
    difference |= secret.charCodeAt(at) ^ guess.charCodeAt(at)
  }
  return difference === 0
}
