import { counted } from '@payment-intents/rules'
import type { Credited, StoredIntent } from '../db/intents/paymentIntents.ts'
import type { Rpc } from './rpc.ts'
import { RpcError } from './rpcError.ts'
import type { Witness } from './witness.ts'

type Asked = Pick<Rpc, 'receipt' | 'header'>

/**
 * Of the transfers that are deep enough to settle these intents, the ids of those with a receipt of
 * status 1 that holds the log, in a block that is canonical at its height; by the word of the provider, and
 * of a witness where there is one. A witness that does not answer has not agreed. A transaction is asked for once,
 * whatever it pays.
 */
export async function prove(
  asked: {
    rpc: Asked
    witness: (Asked & Pick<Witness, 'disagreed' | 'standstill'>) | null
  },
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
  const knownTo = asked.witness?.standstill?.()?.head ?? null
  // A second provider that stands still knows nothing above its head.
  const isUnknown = ([place]: readonly Credited[]) =>
    knownTo !== null && place !== undefined && place.blockNumber > knownTo
  const byTransaction = Map.groupBy(deep, (place) => `${place.txHash}:${place.blockHash}`)
  const proven = await Promise.all(
    [...byTransaction.values()].map(async (places) => {
      const [byProvider, byWitness] = await Promise.all([
        provenBy(asked.rpc, places).catch(unlessTooMuch),
        asked.witness && !isUnknown(places)
          ? provenBy(asked.witness, places).catch(unanswered)
          : places,
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
