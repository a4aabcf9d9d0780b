import type { RelayContext } from './context.ts'
import { callOf, type Draft, emptyCall } from './draft.ts'
import { raisedFees } from './fees.ts'
import { newestOf, type Seen } from './readChain.ts'

/**
 * Transactions that take the place of stuck ones: the same call for more, or an empty one where there is nothing left to move,
 * so that those behind it go on. One whose price is above the cap waits.
 */
export function replacements({ limits, signer }: RelayContext, seen: Seen): Draft[] {
  return seen.stuck.flatMap(({ slot: { nonce, transactions }, isDead }): Draft[] => {
    const newest = newestOf(transactions)
    const fees = raisedFees(newest, seen.price, limits.maxFeePerGas)
    if (!fees) return []
    if (isDead) return [{ nonce, call: emptyCall(signer), authorizationId: null, fees }]
    const authorizationId = newest.authorization?.id ?? null
    return [{ nonce, call: callOf(newest.raw), authorizationId, fees }]
  })
}

/** Nonces below the last one that nothing has: all behind them would wait for ever. @param last the greatest nonce recorded */
export function gapsOf({ signer }: RelayContext, seen: Seen, last: number | null): number[] {
  const taken = new Set(
    seen.slots
      .filter(({ slot, fate }) => slot.relayer === signer.address && fate.type !== 'taken')
      .map(({ slot }) => slot.nonce),
  )
  const gaps: number[] = []
  // One that the node keeps, of another user of the key, is no gap.
  for (let nonce = Math.max(seen.nextNonce, seen.pendingNonce); nonce <= (last ?? -1); nonce++) {
    if (!taken.has(nonce)) gaps.push(nonce)
  }
  return gaps
}
