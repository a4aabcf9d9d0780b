import type { Address } from '@payment-intents/contract'
import type { SimulateTransfer, Simulation } from '@payment-intents/core'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { z } from 'zod'
import { hex, quantity } from '../../chain/rpc/hexSchemas.ts'
import type { Connection } from '../../chain/rpc/rpcConnection.ts'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import { acceptedTip, type GasPrice } from './fees.ts'
import { simulateAuthorization } from './simulateAuthorization.ts'

export type Receipt = {
  readonly blockNumber: bigint
  readonly succeeded: boolean
  /** Wei, for the gas and, on a rollup, for the data. */
  readonly cost: bigint
}

/** A signed transaction, ready to be sent. */
export type SignedTransaction = {
  readonly raw: Hex
  readonly txHash: Hex
  readonly relayer: Address
  readonly nonce: number
}

/** The response of a node to a sent transaction. */
export type SendResult =
  /** The node has the transaction. */
  | { readonly type: 'accepted' }
  /** A mined transaction has its nonce. */
  | { readonly type: 'nonce_used' }
  /** The node has another transaction with this nonce, and these fees are too low to replace it. */
  | { readonly type: 'replacement_underpriced' }
  /** The node does not have the transaction. `reason` is only for the log: each node has its own texts. */
  | { readonly type: 'failed'; readonly reason: string }

/**
 * The calls of a relayer to a node. Calls in the same turn of the event loop are sent as one batch. Each throws
 * `RpcError`.
 */
export type RelayRpc = {
  head(): Promise<{ number: bigint; timestamp: number }>
  price(chainId: number): Promise<GasPrice>
  balance(account: Address): Promise<bigint>
  transactionCount(account: Address, block: 'latest' | 'pending' | bigint): Promise<number>
  receipt(txHash: Hex): Promise<Receipt | null>
  /** Whether an authorization was used, or revoked by its account, at a block. */
  isUsed(authorization: AuthorizationKey, block?: bigint): Promise<boolean>
  simulate(...transfer: Parameters<SimulateTransfer>): Promise<Simulation>
  domainSeparator(token: Address): Promise<Hex>
  send(transaction: SignedTransaction): Promise<SendResult>
}

type AuthorizationKey = {
  readonly token: Address
  readonly authorizer: Address
  readonly nonce: Hex
}

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
])

const word = hex.refine((text) => text.length >= 66)

const headSchema = z.object({ number: quantity, timestamp: quantity.transform(Number) })
const receiptSchema = z
  .object({
    transactionHash: hex,
    blockNumber: quantity,
    status: quantity,
    gasUsed: quantity,
    effectiveGasPrice: quantity,
    // The cost of the data on Ethereum, on chains of the OP stack such as Base.
    l1Fee: quantity.nullish(),
  })
  .nullable()
const transactionSchema = z.object({ hash: hex }).nullable()
const historySchema = z.object({
  baseFeePerGas: z.array(quantity).min(1),
  reward: z.array(z.array(quantity)).nullish(),
})

/** Creates the calls over a connection to one provider. */
export function createRelayRpc({ host, request }: Connection): RelayRpc {
  const readWord = (to: Address, data: Hex, block?: bigint) =>
    request('eth_call', [{ to, data }, block === undefined ? 'latest' : numberToHex(block)], word)
  const callFlag = async (to: Address, data: Hex, block?: bigint) =>
    BigInt(await readWord(to, data, block)) !== 0n

  const transactionCount: RelayRpc['transactionCount'] = (account, block) =>
    request(
      'eth_getTransactionCount',
      [account, typeof block === 'bigint' ? numberToHex(block) : block],
      quantity.transform(Number),
    )

  return {
    head: () => request('eth_getBlockByNumber', ['latest', false], headSchema),
    async price(chainId) {
      const [history, suggested] = await Promise.all([
        request('eth_feeHistory', ['0x4', 'latest', [50]], historySchema),
        // Not every node has this method.
        request('eth_maxPriorityFeePerGas', [], quantity).catch(() => 0n),
      ])
      const paid = history.reward?.at(-1)?.[0] ?? 0n
      const tip = acceptedTip(chainId, paid > suggested ? paid : suggested)
      return { base: history.baseFeePerGas.at(-1) ?? 0n, tip }
    },
    balance: (account) => request('eth_getBalance', [account, 'latest'], quantity),
    transactionCount,
    async receipt(txHash) {
      const receipt = await request('eth_getTransactionReceipt', [txHash], receiptSchema)
      if (receipt === null) return null
      if (receipt.transactionHash !== txHash) {
        throw new RpcError('contradiction', `${host} returned the receipt of another transaction.`)
      }
      return {
        blockNumber: receipt.blockNumber,
        succeeded: receipt.status === 1n,
        cost: receipt.gasUsed * receipt.effectiveGasPrice + (receipt.l1Fee ?? 0n),
      }
    },
    isUsed({ token, authorizer, nonce }, block) {
      const args = [authorizer, nonce] as const
      const data = encodeFunctionData({ abi, functionName: 'authorizationState', args })
      return callFlag(token, data, block)
    },
    simulate: (chainId, signed) => simulateAuthorization({ request }, chainId, signed),
    domainSeparator: (token) =>
      readWord(token, encodeFunctionData({ abi, functionName: 'DOMAIN_SEPARATOR' })),
    async send(transaction) {
      try {
        await request('eth_sendRawTransaction', [transaction.raw], hex)
        return { type: 'accepted' }
      } catch (error) {
        if (!(error instanceof RpcError)) throw error
        const { message: reason } = error
        return (await stateOf(transaction)) ?? { type: 'failed', reason }
      }
    },
  }

  /**
   * Reads why a node refused a transaction from its state, since each node has its own error texts. null: the state
   * does not explain it.
   */
  async function stateOf({
    txHash,
    relayer,
    nonce,
  }: SignedTransaction): Promise<SendResult | null> {
    const [sentTransaction, mined, pending] = await Promise.all([
      request('eth_getTransactionByHash', [txHash], transactionSchema),
      transactionCount(relayer, 'latest'),
      transactionCount(relayer, 'pending'),
    ])
    if (sentTransaction?.hash === txHash) return { type: 'accepted' }
    if (mined > nonce) return { type: 'nonce_used' }
    return pending > nonce ? { type: 'replacement_underpriced' } : null
  }
}
