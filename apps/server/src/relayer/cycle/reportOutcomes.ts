import type { Metrics } from '../../lib/metrics/metrics.ts'
import type { RelayContext } from '../relayContext.ts'
import type { Seen } from './readAccount.ts'

/** A line for each transaction that was mined, and what those cost that stay so. */
export function reportOutcomes(
  {
    facts,
    log,
    metrics,
  }: Pick<RelayContext, 'facts' | 'log'> & {
    readonly metrics?: Pick<Metrics, 'relayed'>
  },
  { groups }: Seen,
): void {
  const { chainId } = facts
  for (const { group, outcome: seen } of groups) {
    if (seen.type === 'unknown') continue
    if (seen.type === 'taken') {
      const fields = { chain_id: chainId, nonce: group.nonce }
      log.warn(fields, 'another transaction of the relayer’s key took the nonce: use it here only')
      metrics?.relayed(chainId, 'taken', 0n)
      continue
    }
    if (seen.type === 'pending') {
      const lost = group.transactions.find(({ state }) => state === 'mined')
      if (!lost) continue
      const fields = { chain_id: chainId, tx_hash: lost.txHash }
      log.warn(fields, 'the block of a relayed transaction was replaced; it is sent again')
      continue
    }
    const { transaction, receipt } = seen
    const { authorization } = transaction
    const mined = receipt.succeeded ? 'succeeded' : 'reverted'
    const outcome = authorization ? mined : 'empty'
    if (seen.type === 'final') metrics?.relayed(chainId, outcome, receipt.cost)
    if (transaction.state === 'mined') continue
    const fields = {
      ...{ chain_id: chainId, authorization: authorization?.id ?? null },
      ...{ intent: authorization?.intentId ?? null, refund: authorization?.refundId ?? null },
      ...{ tx_hash: transaction.txHash, outcome },
      ...{ block: String(receipt.blockNumber), cost_wei: String(receipt.cost) },
    }
    log.info(fields, 'relayed')
  }
}
