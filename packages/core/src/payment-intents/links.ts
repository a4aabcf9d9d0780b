import type { Links } from '@payment-intents/contract'
import type { Service } from '../service.ts'

/**
 * The addresses at which an intent can be paid. Derived for each response, so that no stored value could pay or open
 * it.
 * @param key derives the links and `client_secret`
 */
export function linksOf(
  { publicUrl, gasless, secrets }: Pick<Service, 'publicUrl' | 'gasless' | 'secrets'>,
  { id, chainId }: { readonly id: string; readonly chainId: number },
  key: string,
  clientSecret: string = secrets.clientSecret(id, key),
): Links {
  const isRelayed = gasless.isConfigured(chainId)
  return {
    page: `${publicUrl}/checkout/#${clientSecret}`,
    x402: isRelayed ? `${publicUrl}/x402/${secrets.x402Token(id, key)}` : null,
  }
}
