import type { Address } from '@payment-intents/contract'
import type { Knowledge } from './knowledge.ts'

type Wallets = Pick<Knowledge, 'lists' | 'owners' | 'proofs'>

/** "The merchant who has proven a wallet; nobody else is paid there from then on." */
export function mayUse({ proofs }: Wallets, merchantId: string, address: Address): boolean {
  return proofs.get(address)?.includes(merchantId) ?? true
}

/** "Proven; else in an own list; else the first merchant's who names it, for good." */
export function mayName(wallets: Wallets, merchantId: string, address: Address): boolean {
  const { lists, owners, proofs } = wallets
  const list = lists.get(merchantId)
  if (list?.limited && !list.addresses.has(address)) return false
  if (proofs.has(address)) return mayUse(wallets, merchantId, address)
  if (list?.addresses.has(address)) return true
  if ([...lists.values()].some(({ addresses }) => addresses.has(address))) return false
  return (owners.get(address) ?? merchantId) === merchantId
}
