import { movesMoney, type TransferLog } from '@payment-intents/core'
import type { Hex } from 'viem'
import { z } from 'zod'
import { hex, quantity } from './hexSchemas.ts'

/** A log with its position in the chain. Its `authorizationNonce` shows in a receipt only. */
export type RpcTransfer = TransferLog & {
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly txHash: Hex
}

/** The position of a watched transfer in the chain: `eth_getLogs` shows no more of a transfer that it finds by its authorization's nonce. */
export type TransferLocation = Pick<
  RpcTransfer,
  'blockNumber' | 'blockHash' | 'txHash' | 'logIndex' | 'amount'
>

export type Log = z.output<typeof logSchema>

/** keccak256('Transfer(address,address,uint256)') */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** keccak256('AuthorizationUsed(address,bytes32)') */
export const authorizationTopic =
  '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

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

export const logArray = z.array(logSchema)

/** The positions of these logs' transfers, and of transfers that follow an authorization in the token's logs. */
export function toLocations(logs: readonly Log[], tokens: readonly string[]): TransferLocation[] {
  const transfers = toTransfers(logs, tokens)
  const returned = new Set(transfers.map(keyOf))
  const authorized = logs
    .filter(({ address, topics: [event], removed }) => {
      return tokens.includes(address) && event === authorizationTopic && !removed
    })
    .map(({ blockNumber, blockHash, transactionHash: txHash, logIndex }) => {
      return { blockNumber, blockHash, txHash, logIndex: logIndex + 1, amount: 0n }
    })
  const missing = authorized.filter((location) => !returned.has(keyOf(location)))
  return [...transfers, ...unique(missing)].sort(byChainOrder)
}

/** In the order of the chain, each once: some nodes repeat a log. */
export function toTransfers(logs: readonly Log[], tokens: readonly string[]): RpcTransfer[] {
  const byIndex = new Map(logs.map((log) => [log.logIndex, log]))
  const transfers = logs
    .filter((log) => !log.removed)
    .flatMap((log) => toTransfer(log, tokens, byIndex.get(log.logIndex - 1)))
  return unique(transfers).sort(byChainOrder)
}

/** Whether a transfer of a receipt is to a watched wallet, or moved by an authorization with a watched nonce. */
export function isWatched({ to, authorizationNonce }: TransferLog, topics: ReadonlySet<Hex>) {
  return topics.has(to) || (authorizationNonce !== null && topics.has(authorizationNonce))
}

/** The third topic of a log: the nonce of an authorization, or the address of a recipient. */
export function thirdTopic(log: unknown): Hex {
  const [event, , topic] = (log as { topics?: readonly unknown[] } | null)?.topics ?? []
  if (typeof topic !== 'string') return '0x'
  const isNonce = event === authorizationTopic
  return (isNonce ? topic : `0x${topic.slice(-40)}`).toLowerCase() as Hex
}

export function emitter(log: unknown): string {
  const address = (log as { address?: unknown } | null)?.address
  return typeof address === 'string' ? address.toLowerCase() : ''
}

function unique<Location extends TransferLocation>(locations: readonly Location[]): Location[] {
  return [...new Map(locations.map((location) => [keyOf(location), location])).values()]
}

function keyOf({ blockHash, logIndex }: TransferLocation): string {
  return `${blockHash}:${logIndex}`
}

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

function byChainOrder(a: TransferLocation, b: TransferLocation): number {
  if (a.blockNumber !== b.blockNumber) return a.blockNumber < b.blockNumber ? -1 : 1
  return a.logIndex - b.logIndex
}
