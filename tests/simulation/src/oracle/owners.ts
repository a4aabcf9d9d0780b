import type { Address } from '@payment-intents/contract'
import type { Knowledge } from './knowledge.ts'

/** "The first merchant's who names it, for good; an entry in a merchant's own list outranks that." */
export function mayName(
  { lists, owners }: Knowledge,
  merchantId: string,
  address: Address,
): boolean {
  const own = lists.get(merchantId)
  if (own?.limited) return own.addresses.has(address)
  if (own?.addresses.has(address)) return true
  if ([...lists.values()].some(({ addresses }) => addresses.has(address))) return false
  return (owners.get(address) ?? merchantId) === merchantId
}
