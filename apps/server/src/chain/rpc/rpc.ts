import type { Address } from '@payment-intents/contract'
import { type Hex, pad } from 'viem'
import { z } from 'zod'
import type { Header } from '../../store/chains/blocks.ts'
import { type BlockContent, type BlockTransfers, createBlockTransfers } from './blockTransfers.ts'
import { hex, quantity } from './hexSchemas.ts'
import { createLargeReceipts, type LargeReceipts } from './largeReceipts.ts'
import type { TransactionRpc } from './readTransactions.ts'
import type { Connection } from './rpcConnection.ts'
import { RpcError } from './rpcError.ts'
import { type CallOptions, largeResponseBytes } from './rpcTransport.ts'
import { topicFilters } from './topicFilters.ts'
import {
  authorizationTopic,
  emitter,
  type Log,
  logArray,
  type RpcTransfer,
  type TransferLocation,
  thirdTopic,
  toLocations,
  toTransfers,
  transferTopic,
} from './transferLogs.ts'

export type RpcTransaction = {
  readonly sender: Address
  /** The called contract; null: the transaction creates one. */
  readonly to: Address | null
  readonly input: Hex
  /** Its gas limit, which bounds the size of its receipt. */
  readonly gas: bigint
}

export type RpcReceipt = {
  readonly succeeded: boolean
  readonly blockHash: Hex
  readonly transfers: readonly RpcTransfer[]
}

/** Calls of one turn of the event loop share a JSON-RPC batch. They return null if the provider does not know the block or transaction. */
export type Rpc = {
  header(block: 'latest' | bigint): Promise<Header | null>
  headerByHash(hash: Hex): Promise<Header | null>
  /** Watched transfers of the tokens that move money, in the order of the chain. */
  transfers(range: {
    from: bigint
    to: bigint | 'latest'
    topics: ReadonlySet<Hex>
  }): Promise<TransferLocation[]>
  /** The watched transfers of one block, by the receipts of all its transactions. */
  blockTransfers(block: bigint, topics: ReadonlySet<Hex>): Promise<BlockTransfers>
  /** Rejects unless the provider serves the smallest log query: one block, and a wallet that receives nothing. */
  probeLogs(block: bigint): Promise<void>
  transaction(txHash: Hex, options?: { unbatched?: boolean }): Promise<RpcTransaction | null>
  receipt(txHash: Hex, options?: { unbatched?: boolean }): Promise<RpcReceipt | null>
  /** Reads receipts of any size, apart from the polls. */
  readonly largeReceipts: LargeReceipts
}

const headerSchema = z
  .object({ number: quantity, hash: hex, parentHash: hex, timestamp: quantity.transform(Number) })
  .nullable()
const contentSchema = z
  .object({ number: quantity, hash: hex, transactions: z.array(hex) })
  .nullable()
const transactionSchema = z
  .object({ hash: hex, from: hex, to: hex.nullish(), input: hex, gas: quantity })
  .nullable()
const receiptSchema = z
  .object({ status: quantity, transactionHash: hex, blockHash: hex, logs: z.array(z.unknown()) })
  .nullable()

/**
 * Calls one provider. Checks the shape of each response, and that it belongs to its request; any other response is an error.
 *
 * @throws {RpcError} from every call
 */
export function createRpc(connection: Connection, tokenAddresses: readonly Address[]): Rpc {
  const { host, request } = connection
  const tokens = tokenAddresses.map((token) => token.toLowerCase())
  // Polls pass the same set again: build its filters once.
  const filters = new WeakMap<ReadonlySet<Hex>, readonly (Hex[] | null)[]>()

  const transactions: TransactionRpc = {
    async transaction(txHash, { unbatched = false } = {}) {
      const params = [txHash]
      const sent = await request('eth_getTransactionByHash', params, transactionSchema, {
        unbatched,
      })
      if (sent === null) return null
      const { from: sender, to, input, gas } = sent
      if (sent.hash === txHash) return { sender, to: to ?? null, input, gas }
      throw contradiction(`transaction ${sent.hash} instead of ${txHash}`)
    },
    receipt: (txHash, { unbatched = false } = {}) => receipt(txHash, { unbatched }),
    largeReceipts: createLargeReceipts((txHash) =>
      receipt(txHash, { unbatched: true, maxBytes: largeResponseBytes }),
    ),
  }

  return {
    ...transactions,
    blockTransfers: createBlockTransfers({ ...transactions, content }),
    async header(block) {
      const header = await request('eth_getBlockByNumber', [tag(block), false], headerSchema)
      if (block === 'latest' || header === null || header.number === block) return header
      throw contradiction(`block ${header.number} instead of ${block}`)
    },
    async headerByHash(hash) {
      const header = await request('eth_getBlockByHash', [hash, false], headerSchema)
      if (header === null || header.hash === hash) return header
      throw contradiction(`block ${header.hash} instead of ${hash}`)
    },
    async transfers({ from, to, topics }) {
      const topicLists = filters.get(topics) ?? topicFilters([...topics])
      filters.set(topics, topicLists)
      const responses = await Promise.all(
        topicLists.map((filter) =>
          request(
            'eth_getLogs',
            [
              {
                address: tokenAddresses,
                fromBlock: tag(from),
                toBlock: tag(to),
                // The third topic is the recipient of a transfer, and the nonce of an authorization.
                topics: [[transferTopic, authorizationTopic], null, filter],
              },
            ],
            z.array(z.unknown()),
            { maxBytes: largeResponseBytes },
          ),
        ),
      )
      // A query for the whole token returns hundreds of logs a block: parse only those that are watched.
      const logs = parseLogs(responses.flat().filter((log) => topics.has(thirdTopic(log))))
      return toLocations(logs, tokens)
    },
    async probeLogs(block) {
      const topics = [transferTopic, null, [pad('0x01')]]
      const filter = { address: tokenAddresses, fromBlock: tag(block), toBlock: tag(block), topics }
      await request('eth_getLogs', [filter], z.array(z.unknown()))
    },
  }

  async function content(block: bigint): Promise<BlockContent | null> {
    const returned = await request('eth_getBlockByNumber', [tag(block), false], contentSchema)
    if (returned === null) return null
    if (returned.number !== block)
      throw contradiction(`block ${returned.number} instead of ${block}`)
    return { hash: returned.hash, txHashes: returned.transactions }
  }

  async function receipt(txHash: Hex, options: CallOptions): Promise<RpcReceipt | null> {
    const returned = await request('eth_getTransactionReceipt', [txHash], receiptSchema, options)
    if (returned === null) return null
    if (returned.transactionHash !== txHash) {
      throw contradiction(`the receipt of ${returned.transactionHash} instead of ${txHash}`)
    }
    // A receipt may have tens of thousands of other logs: parse only the token's.
    const logs = returned.logs.filter((log) => tokens.includes(emitter(log)))
    return {
      succeeded: returned.status === 1n,
      blockHash: returned.blockHash,
      transfers: toTransfers(parseLogs(logs), tokens),
    }
  }

  function parseLogs(logs: readonly unknown[]): readonly Log[] {
    const parsed = logArray.safeParse(logs)
    if (parsed.success) return parsed.data
    throw contradiction('logs in an unknown shape')
  }

  function contradiction(fault: string): RpcError {
    return new RpcError('contradiction', `${host} returned ${fault}.`)
  }
}

function tag(block: bigint | 'latest'): string {
  return typeof block === 'bigint' ? `0x${block.toString(16)}` : block
}
