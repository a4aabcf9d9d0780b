import { callOf, type Draft, emptyCall } from '../account/draft.ts'
import type { RelayContext } from '../relayContext.ts'
import { bumpedFees } from '../rpc/fees.ts'
import { highestFeeOf } from './nonceGroups.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'

/**
 * Drafts a replacement for each nonce in `needsReplacement`: the same call with higher fees. The call is empty if the
 * transaction is obsolete or cannot be parsed, so that later nonces can be mined. Skips a nonce while the fees would be
 * above the cap.
 */
export function replacements({ limits, signer }: RelayContext, snapshot: ChainSnapshot): Draft[] {
  return snapshot.needsReplacement.flatMap(
    ({ group: { nonce, transactions }, isObsolete }): Draft[] => {
      const newest = highestFeeOf(transactions)
      const fees = bumpedFees(newest, snapshot.price, limits.maxFeePerGas)
      if (!fees) return []
      const call = isObsolete ? null : callOf(newest.raw)
      if (!call) {
        return [{ nonce, call: emptyCall(signer), authorizationId: null, codeHash: null, fees }]
      }
      const { authorization, codeHash } = newest
      return [{ nonce, call, authorizationId: authorization?.id ?? null, codeHash, fees }]
    },
  )
}
