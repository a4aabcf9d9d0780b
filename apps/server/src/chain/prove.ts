import type { CreditedTransfer } from '@payment-intents/rules'
import { counted } from '@payment-intents/rules'
import type { Queryable } from '../db/connect.ts'
import { findIntent } from '../db/paymentIntents.ts'
import { findPlaces, type StoredTransfer } from '../db/transfers.ts'
import type { Witness } from './providers.ts'

/**
 * Of the transfers that are deep enough to settle these intents, the ids of those with a receipt of
 * status 1 that holds the log, in a block that is canonical at its height; by the word of the provider, and
 * of a witness where there is one. A witness that does not answer has not agreed.
 */
export async function prove(
  db: Queryable,
  asked: { rpc: Witness; witness: Witness | null },
  intentIds: readonly string[],
  head: bigint,
): Promise<Set<string>> {
  const deep: CreditedTransfer[] = []
  for (const id of intentIds) {
    const intent = await findIntent(db, id)
    const paid = intent && counted(intent)
    const required = BigInt(intent?.confirmationsRequired ?? 0)
    if (paid?.every((transfer) => head - transfer.blockNumber + 1n >= required)) deep.push(...paid)
  }
  if (deep.length === 0) return new Set()
  const places = await findPlaces(
    db,
    deep.map((transfer) => transfer.id),
  )
  const proven = await Promise.all(
    [...places.values()].map(async (place) => {
      const words = await Promise.all([
        isProven(asked.rpc, place),
        asked.witness === null || isProven(asked.witness, place).catch(() => false),
      ])
      return words.every(Boolean) ? [place.id] : []
    }),
  )
  return new Set(proven.flat())
}

async function isProven(rpc: Witness, place: StoredTransfer): Promise<boolean> {
  const [receipt, canonical] = await Promise.all([
    rpc.receipt(place.txHash),
    rpc.header(place.blockNumber),
  ])
  return (
    canonical?.hash === place.blockHash &&
    receipt?.succeeded === true &&
    receipt.blockHash === place.blockHash &&
    receipt.transfers.some(
      (transfer) =>
        transfer.logIndex === place.logIndex &&
        transfer.to === place.to &&
        transfer.from === place.from &&
        transfer.amount === place.amount,
    )
  )
}
