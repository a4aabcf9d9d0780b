import { type Address, chainFactsOf } from '@payment-intents/contract'
import { bind, type Credit, type ObservedTransaction, referencedCalls } from '@payment-intents/core'
import type { Queryable } from '../../store/connection/connect.ts'
import { newId } from '../../store/lists/ids.ts'
import { findCandidates } from '../../store/transfers/candidates.ts'
import { type BoundTransfer, logKey } from '../../store/transfers/transfers.ts'
import type { ScannedTransaction } from '../polling/scan.ts'

/** Binds the transfers of transactions that are not stored yet, in their order. */
export async function bindTransfers(
  client: Queryable,
  chainId: number,
  scanned: readonly ScannedTransaction[],
  now: number,
): Promise<BoundTransfer[]> {
  const observed = scanned.map((transaction) => observe(chainId, transaction))
  const candidates = await findCandidates(client, chainId, observed)
  const credited: Credit[] = []
  const byLog = new Map<string, BoundTransfer>()
  for (const [at, { header }] of scanned.entries()) {
    const transaction = observed[at]
    const candidatesOfTransaction = candidates[at]
    if (!transaction || !candidatesOfTransaction) continue
    const { txHash, blockNumber, timestamp } = transaction
    for (const [index, binding] of bind(transaction, candidatesOfTransaction, credited).entries()) {
      const log = transaction.transfers[index]
      if (!log) continue
      if (binding.type === 'bound') {
        credited.push({ intentId: binding.intentId, amount: log.amount, boundBy: binding.by })
      }
      // Stores a log once, even if the provider returns it in two transactions.
      const key = logKey({ blockHash: header.hash, logIndex: log.logIndex })
      if (byLog.has(key)) continue
      byLog.set(key, {
        ...log,
        ...{ id: newId('tr', now), chainId, txHash, binding },
        ...{ blockNumber, blockHash: header.hash, blockTimestamp: timestamp },
      })
    }
  }
  return [...byLog.values()]
}

function observe(
  chainId: number,
  { header, ...transaction }: ScannedTransaction,
): ObservedTransaction {
  const undecoded = { ...transaction, token: chainFactsOf(chainId).usdc.toLowerCase() as Address }
  const { number: blockNumber, timestamp } = header
  return { ...undecoded, blockNumber, timestamp, calls: referencedCalls(undecoded) }
}
