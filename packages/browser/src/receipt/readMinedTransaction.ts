import { movesMoney, type TransferLog } from '@payment-intents/core'
import type { rpcTransport } from './rpcTransport.ts'

type Hex = `0x${string}`
export type Rpc = ReturnType<typeof rpcTransport>
type Log = { address: Hex; topics: Hex[]; data: Hex; logIndex: Hex }

export type MinedTransaction = {
  /** In lower case. */
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  /** Transfers of the token that move money. */
  readonly transfers: readonly TransferLog[]
  readonly blockNumber: number
  /** Unix seconds, the time of its block. */
  readonly timestamp: number
}

/** keccak256 of `Transfer(address,address,uint256)` and of `AuthorizationUsed(address,bytes32)`. */
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const authorizationTopic = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** @returns a sentence if no block of the chain has it, or it has failed */
export async function readMinedTransaction(
  rpc: Rpc,
  { hash, token }: { hash: Hex; token: Hex },
): Promise<MinedTransaction | string> {
  const [transaction, mined] = await Promise.all([
    rpc('eth_getTransactionByHash', hash),
    rpc('eth_getTransactionReceipt', hash),
  ])
  if (!transaction || mined?.status !== '0x1') return `${hash} is no successful transaction.`
  const block = await rpc('eth_getBlockByNumber', mined.blockNumber, false)
  if (block?.hash !== mined.blockHash) return `The block of ${hash} is no longer on the chain.`
  return {
    from: transaction.from.toLowerCase(),
    to: transaction.to?.toLowerCase() ?? null,
    input: transaction.input.toLowerCase(),
    transfers: transfersOf(mined.logs, token),
    blockNumber: Number(mined.blockNumber),
    timestamp: Number(block.timestamp),
  }
}

/** The head minus the block, and the block itself. */
export function confirmationsOf(head: number, blockNumber: number): number {
  return Math.max(0, head - blockNumber + 1)
}

function transfersOf(logs: readonly Log[], token: Hex): TransferLog[] {
  const ofToken = (log: Log | undefined) => log?.address.toLowerCase() === token
  return logs.flatMap((log, index) => {
    const [topic, from, to] = log.topics
    if (!ofToken(log) || topic !== transferTopic || !from || !to) return []
    const before = logs[index - 1]
    const isAuthorized =
      ofToken(before) && before?.topics[0] === authorizationTopic && before.topics[1] === from
    const transfer = {
      logIndex: Number(log.logIndex),
      from: `0x${from.slice(26)}` as Hex,
      to: `0x${to.slice(26)}` as Hex,
      amount: BigInt(log.data),
      token,
      authorizationNonce: isAuthorized ? (before.topics[2] ?? null) : null,
    }
    return movesMoney(transfer) ? transfer : []
  })
}
