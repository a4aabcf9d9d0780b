import { callOf, type Draft, emptyCall } from '../account/draft.ts'
import { raisedFees } from '../account/fees.ts'
import type { RelayContext } from '../relayContext.ts'
import { type ChainSnapshot, newestOf } from './readAccount.ts'

/**
 * Transactions that take the place of stuck ones: the same call for more, or an empty one where nothing is left to move or the call cannot be read,
 * so that those behind it go on. One whose price is above the cap waits.
 */
export function replacements({ limits, signer }: RelayContext, snapshot: ChainSnapshot): Draft[] {
  return snapshot.stuck.flatMap(({ group: { nonce, transactions }, isDead }): Draft[] => {
    const newest = newestOf(transactions)
    const fees = raisedFees(newest, snapshot.price, limits.maxFeePerGas)
    if (!fees) return []
    const call = isDead ? null : callOf(newest.raw)
    if (!call) {
      return [{ nonce, call: emptyCall(signer), authorizationId: null, codeHash: null, fees }]
    }
    const { authorization, codeHash } = newest
    return [{ nonce, call, authorizationId: authorization?.id ?? null, codeHash, fees }]
  })
}

/** Nonces below the last one that nothing has: all behind them would wait for ever. @param last the greatest nonce recorded */
export function gapsOf(
  { signer }: RelayContext,
  snapshot: ChainSnapshot,
  last: number | null,
): number[] {
  const usedNonces = new Set(
    snapshot.groups
      .filter(({ group, outcome }) => group.relayer === signer.address && outcome.type !== 'taken')
      .map(({ group }) => group.nonce),
  )
  const gaps: number[] = []
  // One that the node keeps, of another user of the key, is no gap.
  for (
    let nonce = Math.max(snapshot.nextNonce, snapshot.pendingNonce);
    nonce <= (last ?? -1);
    nonce++
  ) {
    if (!usedNonces.has(nonce)) gaps.push(nonce)
  }
  return gaps
}
