import type { Metrics } from '../../lib/metrics/metrics.ts'
import type { RelayContext } from '../relayContext.ts'
import type { ChainSnapshot } from './takeSnapshot.ts'

/** Logs each mined transaction once, each taken nonce and each reorg. Counts final transactions and their cost. */
export function reportOutcomes(
  {
    facts,
    log,
    metrics,
  }: Pick<RelayContext, 'facts' | 'log'> & {
    readonly metrics?: Pick<Metrics, 'relayed'>
  },
  { groups }: ChainSnapshot,
): void {
  const { chainId } = facts
  for (const { group, outcome } of groups) {
    if (outcome.type === 'unknown') continue
    if (outcome.type === 'taken') {
      const fields = { chain_id: chainId, nonce: group.nonce }
      log.warn(fields, 'another transaction of the relayer’s key took the nonce: use it here only')
      metrics?.relayed(chainId, 'taken', 0n)
      continue
    }
    if (outcome.type === 'pending') {
      const reorged = group.transactions.find(({ state }) => state === 'mined')
      if (!reorged) continue
      const fields = { chain_id: chainId, tx_hash: reorged.txHash }
      log.warn(fields, 'a reorg removed a relayed transaction; it is sent again')
      continue
    }
    const { transaction, receipt } = outcome
    const { authorization } = transaction
    const mined = receipt.succeeded ? 'succeeded' : 'reverted'
    const label = authorization ? mined : 'empty'
    if (outcome.type === 'final') metrics?.relayed(chainId, label, receipt.cost)
    if (transaction.state === 'mined') continue
    const fields = {
      ...{ chain_id: chainId, authorization: authorization?.id ?? null },
      ...{ intent: authorization?.intentId ?? null, refund: authorization?.refundId ?? null },
      ...{ tx_hash: transaction.txHash, outcome: label },
      ...{ block: String(receipt.blockNumber), cost_wei: String(receipt.cost) },
    }
    log.info(fields, 'relayed')
  }
}
