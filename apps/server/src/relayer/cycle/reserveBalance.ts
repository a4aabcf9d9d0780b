import { max } from '../../chain/rpc/bigints.ts'
import type { Draft } from '../account/draft.ts'
import type { RelayContext } from '../relayContext.ts'
import type { NonceGroup } from './nonceGroups.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'

/**
 * Reserves the part of the balance that recorded transactions may use: for each nonce, the most expensive transaction
 * at its maximum price, which nodes require an account to have. Drops a replacement that the balance does not cover:
 * nodes would refuse it, and each cycle would raise its fees again.
 *
 * @param replacing in the order of their nonces
 * @returns wei, and the covered replacements
 */
export function reserveBalance(
  { signer }: Pick<RelayContext, 'signer'>,
  { groups, balance }: Pick<ChainSnapshot, 'groups' | 'balance'>,
  replacing: readonly Draft[],
): { readonly reserved: bigint; readonly replacing: Draft[] } {
  const byNonce = new Map(
    groups
      .filter(
        ({ group, outcome: { type } }) =>
          group.relayer === signer.address && (type === 'pending' || type === 'unknown'),
      )
      .map(({ group }) => [group.nonce, highestCostOf(group)]),
  )
  let reserved = [...byNonce.values()].reduce((sum, amount) => sum + amount, 0n)
  const covered = replacing.filter(({ nonce, call, fees }) => {
    const more = call.gas * fees.maxFeePerGas - (byNonce.get(nonce) ?? 0n)
    if (more <= 0n) return true
    if (reserved + more > balance) return false
    reserved += more
    return true
  })
  return { reserved, replacing: covered }
}

function highestCostOf({ transactions }: NonceGroup): bigint {
  const costs = transactions.map(({ gasLimit, maxFeePerGas }) => gasLimit * maxFeePerGas)
  return costs.reduce(max, 0n)
}
