import type { Address } from '@payment-intents/contract'
import { movesMoney, type TransferLog } from '@payment-intents/core'
import { type Hex, pad } from 'viem'
import { z } from 'zod'
import type { Header } from '../../store/chains/blocks.ts'
import { type BlockContent, type BlockTransfers, createBlockTransfers } from './blockTransfers.ts'
import type { Connection } from './connection.ts'
import { createLargeReceipts, type LargeReceipts } from './largeReceipts.ts'
import type { TransactionRpc } from './readTransactions.ts'
import { RpcError } from './rpcError.ts'
import { type CallOptions, largeResponseBytes } from './rpcTransport.ts'

/** A log with its position in the chain. Only a receipt shows its `authorizationNonce`. */
export type RpcTransfer = TransferLog & {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly txHash: Hex
}

/** The position of a watched transfer in the chain. For a transfer that is found by its authorization's nonce, `eth_getLogs` returns no more. */
export type TransferLocation = Pick<
  RpcTransfer,
  'blockNumber' | 'blockHash' | 'txHash' | 'logIndex' | 'amount'
>

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

/** Calls of one turn of the event loop are one JSON-RPC batch. `null`: the provider does not know it. */
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

/** keccak256('Transfer(address,address,uint256)') */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** keccak256('AuthorizationUsed(address,bytes32)') */
const authorizationTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
export const topicsPerQuery = 1_000
const queriesPerPoll = 3

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as Hex)
const quantity = hex.refine((text) => text !== '0x').transform((text) => BigInt(text))

const headerSchema = z.object({
  number: quantity,
  hash: hex,
  parentHash: hex,
  timestamp: quantity.transform(Number),
})

const logSchema = z.object({
  address: hex,
  topics: z.array(hex),
  data: hex,
  blockNumber: quantity,
  blockHash: hex,
  transactionHash: hex,
  logIndex: quantity.transform(Number),
  removed: z.boolean().optional(),
})

const receiptSchema = z.object({
  status: quantity,
  transactionHash: hex,
  blockHash: hex,
  logs: z.array(z.unknown()),
})

const nullableHeader = headerSchema.nullable()
const nullableContent = z
  .object({ number: quantity, hash: hex, transactions: z.array(hex) })
  .nullable()
const nullableTransaction = z
  .object({ hash: hex, from: hex, to: hex.nullish(), input: hex, gas: quantity })
  .nullable()
const nullableReceipt = receiptSchema.nullable()
const logArray = z.array(logSchema)

/**
 * Calls one provider. Checks the shape of each response, and that it belongs to its request; any other response is an error.
 *
 * @throws {RpcError} from every call
 */
export function createRpc(connection: Connection, tokenAddresses: readonly Address[]): Rpc {
  const { host, request } = connection
  const tokens = tokenAddresses.map((token) => token.toLowerCase())
  // The same set is requested repeatedly.
  const filters = new WeakMap<ReadonlySet<Hex>, readonly (Hex[] | null)[]>()

  const transactions: TransactionRpc = {
    async transaction(txHash, { unbatched = false } = {}) {
      const params = [txHash]
      const sent = await request('eth_getTransactionByHash', params, nullableTransaction, {
        unbatched,
      })
      if (sent === null) return null
      const { from: sender, to, input, gas } = sent
      if (sent.hash === txHash) return { sender, to: to ?? null, input, gas }
      throw contradiction(`transaction ${sent.hash} when asked for ${txHash}`)
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
      const header = await request('eth_getBlockByNumber', [tag(block), false], nullableHeader)
      if (block === 'latest' || header === null || header.number === block) return header
      throw contradiction(`block ${header.number} when asked for ${block}`)
    },
    async headerByHash(hash) {
      const header = await request('eth_getBlockByHash', [hash, false], nullableHeader)
      if (header === null || header.hash === hash) return header
      throw contradiction(`block ${header.hash} when asked for ${hash}`)
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
      // A query for the whole token returns hundreds of logs a block: only watched logs are parsed.
      const logs = parseLogs(responses.flat().filter((log) => topics.has(thirdTopic(log))))
      return toPlaces(logs, tokens)
    },
    async probeLogs(block) {
      const topics = [transferTopic, null, [pad('0x01')]]
      const filter = { address: tokenAddresses, fromBlock: tag(block), toBlock: tag(block), topics }
      await request('eth_getLogs', [filter], z.array(z.unknown()))
    },
  }

  async function content(block: bigint): Promise<BlockContent | null> {
    const shown = await request('eth_getBlockByNumber', [tag(block), false], nullableContent)
    if (shown === null) return null
    if (shown.number !== block) throw contradiction(`block ${shown.number} when asked for ${block}`)
    return { hash: shown.hash, txHashes: shown.transactions }
  }

  async function receipt(txHash: Hex, options: CallOptions): Promise<RpcReceipt | null> {
    const shown = await request('eth_getTransactionReceipt', [txHash], nullableReceipt, options)
    if (shown === null) return null
    if (shown.transactionHash !== txHash) {
      throw contradiction(`the receipt of ${shown.transactionHash} when asked for ${txHash}`)
    }
    // Only the token's logs are parsed: a receipt may have tens of thousands of others.
    const logs = shown.logs.filter((log) => tokens.includes(emitter(log)))
    return {
      succeeded: shown.status === 1n,
      blockHash: shown.blockHash,
      transfers: toTransfers(parseLogs(logs), tokens),
    }
  }

  function parseLogs(logs: readonly unknown[]): readonly Log[] {
    const parsed = logArray.safeParse(logs)
    if (parsed.success) return parsed.data
    throw contradiction('logs in an unknown shape')
  }

  function contradiction(fault: string): RpcError {
    return new RpcError('contradiction', `${host} answered ${fault}.`)
  }
}

/** Whether to request all transfers of the token: past three full queries, that costs less. */
export function watchesEveryTransfer(topics: { readonly size: number }): boolean {
  return topics.size > topicsPerQuery * queriesPerPoll
}

/** Whether a transfer of a receipt is to a watched wallet, or moved by an authorization with a watched nonce. */
export function isWatched({ to, authorizationNonce }: TransferLog, topics: ReadonlySet<Hex>) {
  return topics.has(to) || (authorizationNonce !== null && topics.has(authorizationNonce))
}

function topicFilters(topics: readonly Hex[]): (Hex[] | null)[] {
  if (watchesEveryTransfer({ size: topics.length })) return [null]
  const filters: Hex[][] = []
  for (let start = 0; start < topics.length; start += topicsPerQuery) {
    filters.push(topics.slice(start, start + topicsPerQuery).map((topic) => pad(topic)))
  }
  return filters
}

/** The third topic of a log: the nonce of an authorization, or the address of a recipient. */
function thirdTopic(log: unknown): Hex {
  const [event, , topic] = (log as { topics?: readonly unknown[] } | null)?.topics ?? []
  if (typeof topic !== 'string') return '0x'
  const isNonce = event === authorizationTopic
  return (isNonce ? topic : `0x${topic.slice(-40)}`).toLowerCase() as Hex
}

function emitter(log: unknown): string {
  const address = (log as { address?: unknown } | null)?.address
  return typeof address === 'string' ? address.toLowerCase() : ''
}

/** The positions of these logs' transfers, and of transfers that follow an authorization in the token's logs. */
function toPlaces(logs: readonly Log[], tokens: readonly string[]): TransferLocation[] {
  const transfers = toTransfers(logs, tokens)
  const shown = new Set(transfers.map(keyOf))
  const authorized = logs
    .filter(({ address, topics: [event], removed }) => {
      return tokens.includes(address) && event === authorizationTopic && !removed
    })
    .map(({ blockNumber, blockHash, transactionHash: txHash, logIndex }) => {
      return { blockNumber, blockHash, txHash, logIndex: logIndex + 1, amount: 0n }
    })
  const unshown = authorized.filter((place) => !shown.has(keyOf(place)))
  return [...transfers, ...unique(unshown)].sort(byChainOrder)
}

/** In the order of the chain, each once: some nodes repeat a log. */
function toTransfers(logs: readonly Log[], tokens: readonly string[]): RpcTransfer[] {
  const byIndex = new Map(logs.map((log) => [log.logIndex, log]))
  const transfers = logs
    .filter((log) => !log.removed)
    .flatMap((log) => toTransfer(log, tokens, byIndex.get(log.logIndex - 1)))
  return unique(transfers).sort(byChainOrder)
}

function unique<Place extends TransferLocation>(places: readonly Place[]): Place[] {
  return [...new Map(places.map((place) => [keyOf(place), place])).values()]
}

function keyOf({ blockHash, logIndex }: TransferLocation): string {
  return `${blockHash}:${logIndex}`
}

type Log = z.output<typeof logSchema>

function toTransfer(log: Log, tokens: readonly string[], before: Log | undefined): RpcTransfer[] {
  const [topic, from, to] = log.topics
  if (!tokens.includes(log.address) || topic !== transferTopic || !from || !to) return []
  const transfer = {
    from: `0x${from.slice(-40)}`,
    to: `0x${to.slice(-40)}`,
    amount: log.data === '0x' ? 0n : BigInt(log.data),
  } as const
  if (!movesMoney(transfer)) return []
  return [
    {
      ...transfer,
      blockNumber: log.blockNumber,
      blockHash: log.blockHash,
      txHash: log.transactionHash,
      logIndex: log.logIndex,
      token: log.address,
      authorizationNonce: authorizationOf(log, before),
    },
  ]
}

/** EIP-3009: the token logs `AuthorizationUsed(authorizer, nonce)`, then the transfer, in the next log. */
function authorizationOf(transfer: Log, before: Log | undefined): Hex | null {
  const [topic, authorizer, nonce] = before?.topics ?? []
  const isOfThisTransfer =
    topic === authorizationTopic &&
    before?.address === transfer.address &&
    before.transactionHash === transfer.transactionHash &&
    authorizer === transfer.topics[1]
  return isOfThisTransfer ? (nonce ?? null) : null
}

function tag(block: bigint | 'latest'): string {
  return typeof block === 'bigint' ? `0x${block.toString(16)}` : block
}

function byChainOrder(a: TransferLocation, b: TransferLocation): number {
  if (a.blockNumber !== b.blockNumber) return a.blockNumber < b.blockNumber ? -1 : 1
  return a.logIndex - b.logIndex
}
