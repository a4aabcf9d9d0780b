import type { RequestOf } from '@payment-intents/contract'
import { conflict } from '../../http/httpError.ts'
import type { Service } from '../../service.ts'
import { returnOriginOf, returnUrlRefused } from './returnOrigin.ts'

/**
 * Creates a link that continues a checkout in another browser: `/checkout/h/<token>`. The token is in the path, because
 * apps that open links drop fragments. The page exchanges it once, within minutes, by a `POST`.
 * @param intentId of the client secret
 */
export async function handOffPaymentIntent(
  { store, secrets, publicUrl }: Service,
  intentId: string,
  body: RequestOf<'handOffPaymentIntent'>['body'],
): Promise<string> {
  const returnUrl = body.return_url ?? null
  const origin = returnUrl === null ? null : returnOriginOf(returnUrl)
  if (returnUrl !== null && origin === null) throw returnUrlRefused()
  const { token, hash } = secrets.newHandoffToken()
  const handoff = { hash, intentId, returnUrl, origin }
  const expiresAt = await store.paymentIntents.insertHandoff(handoff)
  if (expiresAt === 'origin_not_registered') throw returnUrlRefused()
  if (expiresAt === 'ended') {
    throw conflict('illegal_state', 'The payment intent has ended: nothing is left to pay.')
  }
  const url = `${publicUrl}/checkout/h/${token}`
  return JSON.stringify({ url, expires_at: expiresAt.toISOString() })
}
