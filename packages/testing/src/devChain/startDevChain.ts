import {
  type Address,
  type Chain,
  type ChainFacts,
  chainFacts,
} from '@payment-intents/contract/chains'
import type { OptionNames } from '@payment-intents/contract/options'
import {
  type Client,
  concat,
  createClient,
  encodeFunctionData,
  erc20Abi,
  http,
  numberToHex,
  pad,
  size,
} from 'viem'
import { checkOptions } from '../lib/checkOptions.ts'
import { pause } from '../lib/pause.ts'
import { type DevAccount, devAccounts, type Hex } from './devAccounts.ts'
import { launchAnvil } from './launchAnvil.ts'
import { placeToken } from './placeToken.ts'

export type DevChainOptions = {
  /** The chain whose testnet it replaces: `base`, the default, is 84532; `polygon` is 80002. */
  chain?: Chain
  /** TCP port on 127.0.0.1; `0`, the default, chooses a free port. */
  port?: number
  /**
   * Seconds between blocks; 1 by default. After 40 blocks without a transaction there is a block every 15 seconds, until the
   * next transaction, unless `evm_setIntervalMining` was called. With `0` every transaction is mined at once, and other blocks only by `mine()`.
   */
  blockTime?: number
  /** File in which the chain is saved between starts: blocks, hashes, receipts, balances. */
  statePath?: string
  /** `false` forwards anvil's output; `true` by default. */
  quiet?: boolean
}

const chainOptions: OptionNames<DevChainOptions> = {
  ...{ chain: true, port: true, blockTime: true, statePath: true, quiet: true },
}

export type DevPayment = {
  /** An address of `accounts`. */
  from: Address
  to: Address
  /** Smallest token units: 1000000n is 1 USDC. Zero is allowed. */
  amount: bigint
  /** 32 bytes appended to the calldata, which identify the payment intent. */
  reference?: Hex
}

const paymentOptions: OptionNames<DevPayment> = {
  ...{ from: true, to: true, amount: true, reference: true },
}

export type DevChain = {
  /** HTTP and WebSocket use the same port. */
  readonly url: string
  readonly chainId: number
  /** The test USDC, at the address of the official USDC. */
  readonly token: Address
  /** Ten accounts with 10,000 of the native coin and 1,000,000 USDC each; the first owns the token. */
  readonly accounts: readonly DevAccount[]
  /** Sends one JSON-RPC request and returns its result; throws the node's error. */
  rpc<result = unknown>(method: string, params?: readonly unknown[]): Promise<result>
  /**
   * Sends a USDC transfer; throws if it would revert. With a block time it returns before the transfer is mined,
   * otherwise after.
   */
  pay(payment: DevPayment): Promise<{ hash: Hex }>
  /** Mines blocks now, one by default. */
  mine(blocks?: number): Promise<void>
  /** Sets the timestamp of the next block in Unix seconds; later blocks continue from there. */
  setNextBlockTime(timestamp: number): Promise<void>
  /** Advances the chain's clock, from the next block on. */
  increaseTime(seconds: number): Promise<void>
  /** Replaces the last `depth` blocks by as many empty blocks. */
  reorg(depth: number): Promise<void>
  /** Saves the state to `statePath`, if set, and resolves when the process has ended. */
  stop(): Promise<void>
}

const blockHashes = '0x0000F90827F1C53a10cb7A02335B175320002935'
/** Mining hundreds of blocks on a busy machine takes seconds; a stopped chain refuses connections at once. */
const requestTimeoutMs = 60_000

/**
 * Starts a local EVM in place of Base Sepolia or Polygon Amoy: anvil with its chain id, and at the address of its
 * official USDC a token that behaves like it. It ends with `stop()`, or when this process ends in any way.
 *
 * @throws Error that says what to do if the port is taken, anvil has no build for this platform, or `statePath` is not
 * the state of a chain
 * @example
 * ```ts
 * import { startDevChain } from '@payment-intents/testing'
 *
 * const chain = await startDevChain({ blockTime: 0 })
 * const [payer, shop] = chain.accounts
 * if (payer && shop) await chain.pay({ from: payer.address, to: shop.address, amount: 25_000_000n })
 * await chain.mine(4)
 * await chain.stop()
 * ```
 */
export async function startDevChain(options: DevChainOptions = {}): Promise<DevChain> {
  checkOptions('startDevChain', options, chainOptions)
  const { chain = 'base', blockTime = 1, port = 0, statePath, quiet = true } = options
  const facts = chainFacts('testnet', chain)
  const anvil = await launchAnvil({
    chainId: facts.chainId,
    blockTime,
    port,
    statePath,
    output: quiet ? 'ignore' : 'inherit',
  })
  const transport = http(anvil.url, { retryCount: 0, timeout: requestTimeoutMs })
  const client = createClient({ transport })
  try {
    // The contract of EIP-2935 would keep 8,191 block hashes in each state, and nobody calls it.
    await client.request({ method: 'anvil_setCode', params: [blockHashes, '0x'] } as never)
    const holders = devAccounts.map((account) => account.address)
    await placeToken(client, facts.usdc, holders)
  } catch (error) {
    await anvil.stop()
    throw error
  }
  return { url: anvil.url, ...devChain(client, facts), stop: anvil.stop }
}

function devChain(client: Client, facts: ChainFacts): Omit<DevChain, 'url' | 'stop'> {
  const rpc: DevChain['rpc'] = (method, params = []) =>
    client.request({ method, params } as never) as Promise<never>
  return {
    chainId: facts.chainId,
    token: facts.usdc,
    accounts: devAccounts,
    rpc,
    async pay(payment) {
      checkOptions('pay', payment, paymentOptions)
      const { from, to, amount, reference } = payment
      const call = { from, to: facts.usdc, data: transferCalldata(to, amount, reference) }
      // Without this call, a transfer that reverts would be mined.
      await rpc('eth_call', [call, 'pending'])
      const hash = await rpc<Hex>('eth_sendTransaction', [call])
      // Anvil responds before it mines, even if it mines at once.
      if (await rpc<boolean>('anvil_getAutomine')) {
        while (!(await rpc('eth_getTransactionReceipt', [hash]))) await pause(5)
      }
      return { hash }
    },
    async mine(blocks = 1) {
      await rpc('anvil_mine', [numberToHex(blocks)])
    },
    async setNextBlockTime(timestamp) {
      await rpc('evm_setNextBlockTimestamp', [numberToHex(timestamp)])
    },
    async increaseTime(seconds) {
      await rpc('evm_increaseTime', [numberToHex(seconds)])
    },
    async reorg(depth) {
      const head = await rpc<{ miner: Hex }>('eth_getBlockByNumber', ['latest', false])
      // Empty blocks with the same parent and second are identical; another miner makes the new blocks differ.
      await rpc('anvil_setCoinbase', [pad(numberToHex(BigInt(head.miner) + 1n), { size: 20 })])
      const before = await nextTimestamp()
      await rpc('anvil_reorg', [depth, []])
      // Anvil sets its clock back to the fork, which no chain does.
      await rpc('evm_increaseTime', [numberToHex(Math.max(0, before - (await nextTimestamp())))])
    },
  }

  /** Unix seconds. */
  async function nextTimestamp(): Promise<number> {
    return Number(
      (await rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['pending', false])).timestamp,
    )
  }
}

function transferCalldata(to: Address, amount: bigint, reference: Hex | undefined): Hex {
  const call = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  if (reference === undefined) return call
  if (size(reference) !== 32) throw new Error('A payment reference has 32 bytes.')
  return concat([call, reference])
}
