import type { Hex } from 'viem'
import type { BlockTransfers } from '../rpc/blockTransfers.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { RpcError } from '../rpc/rpcError.ts'
import { topicsPerQuery, watchesEveryTransfer } from '../rpc/topicFilters.ts'

type RangeRpc = Pick<Rpc, 'transfers' | 'blockTransfers'>
type Range = {
  readonly from: bigint
  readonly to: bigint
  readonly topics: ReadonlySet<Hex>
}

/**
 * The transfers of a range of blocks. A block with more logs than the provider returns is read by its receipts.
 *
 * @throws {RpcError} `range` when several blocks are too large for the provider
 */
export async function readRange(rpc: RangeRpc, range: Range): Promise<BlockTransfers> {
  const { from, to, topics } = range
  try {
    return { transfers: await rpc.transfers(range), unread: [] }
  } catch (error) {
    if (!isTooLarge(error) || from !== to) throw error
  }
  return (await readByTopics(rpc, range)) ?? rpc.blockTransfers(from, topics)
}

/** Queries by topic, in case strangers' transfers were too many. null: the queries name topics already, or are refused, too. */
async function readByTopics(rpc: RangeRpc, range: Range): Promise<BlockTransfers | null> {
  if (!watchesEveryTransfer(range.topics)) return null
  const topics = [...range.topics]
  const transfers = []
  try {
    for (let start = 0; start < topics.length; start += topicsPerQuery) {
      const some = new Set(topics.slice(start, start + topicsPerQuery))
      transfers.push(...(await rpc.transfers({ ...range, topics: some })))
    }
    return { transfers, unread: [] }
  } catch (error) {
    if (isTooLarge(error)) return null
    throw error
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RpcError && error.fault === 'range'
}
