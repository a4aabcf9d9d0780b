import { max } from '../chain/bigints.ts'
import type { RelayContext } from './context.ts'
import type { Draft } from './draft.ts'
import type { Seen } from './readChain.ts'
import type { Slot } from './settle.ts'

/**
 * What the balance has to pay for already: of each nonce the transaction that can cost most, at the highest price that it
 * offers, which is what nodes ask an account to have. A replacement that the balance does not cover is left out: nodes would
 * refuse it, and the next one would offer more again.
 *
 * @param replacing in the order of their nonces
 * @returns wei, and the replacements that are left
 */
export function holdBack(
  { signer }: Pick<RelayContext, 'signer'>,
  { slots, balance }: Pick<Seen, 'slots' | 'balance'>,
  replacing: readonly Draft[],
): { readonly held: bigint; readonly replacing: Draft[] } {
  const byNonce = new Map(
    slots
      .filter(({ slot, fate }) => slot.relayer === signer.address && fate.type === 'pending')
      .map(({ slot }) => [slot.nonce, mostOf(slot)]),
  )
  let held = [...byNonce.values()].reduce((sum, one) => sum + one, 0n)
  const covered = replacing.filter(({ nonce, call, fees }) => {
    const more = call.gas * fees.maxFeePerGas - (byNonce.get(nonce) ?? 0n)
    if (more <= 0n) return true
    if (held + more > balance) return false
    held += more
    return true
  })
  return { held, replacing: covered }
}

function mostOf({ transactions }: Slot): bigint {
  const costs = transactions.map(({ gasLimit, maxFeePerGas }) => gasLimit * maxFeePerGas)
  return costs.reduce(max, 0n)
}
