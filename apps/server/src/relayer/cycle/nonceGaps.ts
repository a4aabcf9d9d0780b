import type { RelayContext } from '../relayContext.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'

/**
 * Finds the nonces up to the last recorded nonce that no outstanding transaction has. Nodes mine no transaction above
 * them.
 * @param lastNonce the highest recorded nonce; null: none is recorded
 */
export function nonceGaps(
  { signer }: RelayContext,
  snapshot: ChainSnapshot,
  lastNonce: number | null,
): number[] {
  const usedNonces = new Set(
    snapshot.groups
      .filter(({ group, outcome }) => group.relayer === signer.address && outcome.type !== 'taken')
      .map(({ group }) => group.nonce),
  )
  const gaps: number[] = []
  // The node has a transaction for each nonce below `pendingNonce`, perhaps of another program with the key.
  for (
    let nonce = Math.max(snapshot.nextNonce, snapshot.pendingNonce);
    nonce <= (lastNonce ?? -1);
    nonce++
  ) {
    if (!usedNonces.has(nonce)) gaps.push(nonce)
  }
  return gaps
}
