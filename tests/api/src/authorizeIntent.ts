import type { Address, PaymentIntent } from '@payment-intents/contract'
import { messageOf, sign } from '@payment-intents/server/test/support/chain/signAuthorization.ts'
import type { Signed } from '@payment-intents/server/test/support/server/authorizing.ts'
import { intents, payer } from './accounts.ts'
import type { Observed } from './record.ts'

export const authorizePath = `${intents}/authorize`

/** Hands in what resolve offers, or that with changes. */
export async function authorizeIntent(
  { call }: Observed,
  { client_secret, chain_id: chainId, token_address }: PaymentIntent,
  changes: object = {},
): Promise<Signed> {
  const body = { client_secret }
  const resolved = await call('POST', `${intents}/resolve`, { body, headers: {} })
  const authorization = messageOf(resolved, payer, changes)
  const token = token_address as Address
  const signature = await sign({ chainId, token }, payer, authorization)
  const signed = { authorization, signature }
  await call('POST', authorizePath, { body: { ...body, ...signed }, headers: {} })
  return signed
}
