import type { Links } from '@payment-intents/contract'
import { clientSecretOf } from '../secrets/clientSecret.ts'
import type { ServerKey } from '../secrets/serverKey.ts'
import { x402TokenOf } from '../secrets/x402Token.ts'
import type { HttpContext } from './context.ts'

/**
 * Where an intent can be paid. Derived at each answer, so that nothing stored could pay or open it.
 *
 * @param key that the links are derived with, as is `clientSecret`
 */
export function linksOf(
  { publicUrl, gasless }: Pick<HttpContext, 'publicUrl' | 'gasless'>,
  intent: { readonly id: string; readonly chainId: number },
  key: ServerKey,
  clientSecret: string = clientSecretOf(intent.id, key),
): Links {
  const isRelayed = gasless.isConfigured(intent.chainId)
  return {
    page: `${publicUrl}/checkout/#${clientSecret}`,
    x402: isRelayed ? `${publicUrl}/x402/${x402TokenOf(intent.id, key)}` : null,
  }
}
