/** How a merchant came to claim an address, strongest first. */
const ranks = ['proof', 'list', 'name'] as const

/**
 * A merchant's claim to an address. `proof`: a signature of the address; `list`: an entry in the merchant's own list;
 * `name`: a request of the merchant named it before any other's.
 */
export type WalletClaim = {
  readonly merchantId: string
  readonly by: (typeof ranks)[number]
}

/** The merchants that an address belongs to: those with the strongest claim. Empty: nobody claims it. */
export function walletHolders(claims: readonly WalletClaim[]): readonly string[] {
  const strongest = ranks.find((rank) => claims.some(({ by }) => by === rank))
  return claims.filter(({ by }) => by === strongest).map(({ merchantId }) => merchantId)
}

/** Whether the address is the merchant's, or nobody's yet. */
export function mayUseWallet(claims: readonly WalletClaim[], merchantId: string): boolean {
  const holders = walletHolders(claims)
  return holders.length === 0 || holders.includes(merchantId)
}
