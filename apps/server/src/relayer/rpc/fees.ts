import { max } from '../../chain/rpc/bigints.ts'

/** Wei per gas of an EIP-1559 transaction. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** The price of the next block, in wei per gas. */
export type GasPrice = { readonly base: bigint; readonly tip: bigint }

/**
 * The minimum tip that the nodes of a chain accept. Only Polygon's require more than 1 wei.
 * @see https://docs.polygon.technology/pos/concepts/transactions/eip-1559/
 */
const minimumTips: { readonly [chainId: number]: bigint } = {
  137: 25_000_000_000n,
  80002: 25_000_000_000n,
}

/** Raises a tip to the minimum that the chain's nodes accept. */
export function acceptedTip(chainId: number, tip: bigint): bigint {
  const minimum = minimumTips[chainId] ?? 1n
  return tip > minimum ? tip : minimum
}

/**
 * The fees of a new transaction: twice the base fee, so that it stays valid while six blocks in a row are full.
 *
 * @returns null while the price is above the cap
 */
export function newFees({ base, tip }: GasPrice, cap: bigint): Fees | null {
  if (base + tip > cap) return null
  const highest = 2n * base + tip
  return { maxFeePerGas: highest < cap ? highest : cap, maxPriorityFeePerGas: tip }
}

/**
 * The fees of a transaction that replaces another with its nonce. Nodes require both fees to rise: Geth requires 10 %,
 * the strictest clients 12.5 %. This adds an eighth.
 * @returns null while the fees or the price are above the cap
 */
export function bumpedFees(before: Fees, price: GasPrice, cap: bigint): Fees | null {
  const fees = newFees(price, cap)
  const maxFeePerGas = max(fees?.maxFeePerGas ?? 0n, bump(before.maxFeePerGas))
  const maxPriorityFeePerGas = max(
    fees?.maxPriorityFeePerGas ?? 0n,
    bump(before.maxPriorityFeePerGas),
  )
  if (fees === null || maxFeePerGas > cap) return null
  return { maxFeePerGas, maxPriorityFeePerGas }
}

function bump(fee: bigint): bigint {
  return (fee * 9n) / 8n + 1n
}
