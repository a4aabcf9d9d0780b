import { counted } from '@payment-intents/rules'
import type { Header } from '../db/chains/blocks.ts'
import type { Credited, StoredIntent } from '../db/intents/paymentIntents.ts'
import { max, min } from './bigints.ts'
import type { Rpc } from './rpc.ts'
import { RpcError } from './rpcError.ts'

type Asked = Pick<Rpc, 'receipt' | 'header'>

/**
 * The lower of both heads, so that no single provider can make a payment look deeper than it is. While the witness does
 * not answer, or answers with less than before, its head from before counts; null: it has not answered yet.
 */
export async function lowerHead(
  witness: Pick<Rpc, 'header'> | null,
  head: Header,
  before: bigint | null,
): Promise<bigint | null> {
  if (!witness) return head.number
  const other = await witness.header('latest').catch(() => null)
  if (!other) return before
  return min(head.number, max(other.number, before ?? 0n))
}

/**
 * Of the transfers that are deep enough to settle these intents, the ids of those with a receipt of
 * status 1 that holds the log, in a block that is canonical at its height; by the word of the provider, and
 * of a witness where there is one. A witness that does not answer has not agreed. A transaction is asked for once,
 * whatever it pays.
 */
export async function prove(
  asked: { rpc: Asked; witness: (Asked & { disagreed?(): void }) | null },
  settling: readonly StoredIntent[],
  depthFrom: bigint | null,
): Promise<Set<string>> {
  if (depthFrom === null) return new Set()
  const deep = settling.flatMap((intent) => {
    const paid = new Set(counted(intent)?.map(({ id }) => id))
    const credited = intent.transfers.filter(({ id }) => paid.has(id))
    const isDeep = ({ blockNumber }: Credited) =>
      depthFrom - blockNumber + 1n >= BigInt(intent.confirmationsRequired)
    return credited.every(isDeep) ? credited : []
  })
  const byTransaction = Map.groupBy(deep, (place) => `${place.txHash}:${place.blockHash}`)
  const proven = await Promise.all(
    [...byTransaction.values()].map(async (places) => {
      const [byProvider, byWitness] = await Promise.all([
        provenBy(asked.rpc, places).catch(unlessTooMuch),
        asked.witness ? provenBy(asked.witness, places).catch(unanswered) : places,
      ])
      const agreed = byProvider.filter((place) => byWitness?.includes(place))
      if (byWitness && agreed.length < byProvider.length) asked.witness?.disagreed?.()
      return agreed.map(({ id }) => id)
    }),
  )
  return new Set(proven.flat())
}

const unanswered = () => null

/** A receipt that is too large or too slow proves nothing, and keeps no other payment waiting. */
function unlessTooMuch(error: unknown): readonly Credited[] {
  if (error instanceof RpcError && (error.fault === 'oversized' || error.fault === 'timeout')) {
    return []
  }
  throw error
}

/** Of places in one transaction, those that this provider confirms. */
async function provenBy(rpc: Asked, places: readonly Credited[]): Promise<readonly Credited[]> {
  const [first] = places
  if (!first) return []
  const [receipt, canonical] = await Promise.all([
    rpc.receipt(first.txHash),
    rpc.header(first.blockNumber),
  ])
  const { blockHash } = first
  if (canonical?.hash !== blockHash || !receipt?.succeeded || receipt.blockHash !== blockHash) {
    return []
  }
  const logs = new Map(receipt.transfers.map((transfer) => [transfer.logIndex, transfer]))
  return places.filter((place) => {
    const log = logs.get(place.logIndex)
    return log?.to === place.to && log.from === place.from && log.amount === place.amount
  })
}
