import { callOf, type Draft, emptyCall } from '../account/draft.ts'
import { bumpedFees } from '../account/fees.ts'
import type { RelayContext } from '../relayContext.ts'
import { type ChainSnapshot, highestFeeOf } from './readRelayerAccount.ts'

/**
 * Replacements for stuck transactions, with the same nonce: the same call with higher fees, or an empty call if its authorization is
 * obsolete or it cannot be parsed, so that later nonces can be mined. A transaction waits while the price is above the cap.
 */
export function replacements({ limits, signer }: RelayContext, snapshot: ChainSnapshot): Draft[] {
  return snapshot.stuck.flatMap(
    ({ group: { nonce, transactions }, isObsolete: isDead }): Draft[] => {
      const newest = highestFeeOf(transactions)
      const fees = bumpedFees(newest, snapshot.price, limits.maxFeePerGas)
      if (!fees) return []
      const call = isDead ? null : callOf(newest.raw)
      if (!call) {
        return [{ nonce, call: emptyCall(signer), authorizationId: null, codeHash: null, fees }]
      }
      const { authorization, codeHash } = newest
      return [{ nonce, call, authorizationId: authorization?.id ?? null, codeHash, fees }]
    },
  )
}

/** Nonces up to the last recorded one that have no transaction: nodes mine none above them. @param last the highest recorded nonce */
export function nonceGaps(
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
  // A pending transaction of another user of the key is no gap.
  for (
    let nonce = Math.max(snapshot.nextNonce, snapshot.pendingNonce);
    nonce <= (last ?? -1);
    nonce++
  ) {
    if (!usedNonces.has(nonce)) gaps.push(nonce)
  }
  return gaps
}
