import type { Address } from '@payment-intents/contract'
import {
  BaseError,
  concat,
  createClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  numberToHex,
  pad,
  RpcRequestError,
} from 'viem'
import { userAgent } from '../../version.ts'

/** The newest block. */
export type ChainHead = {
  readonly number: number
  readonly hash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}

type Payment = {
  /** null: any account but the recipient. */
  readonly from: Address | null
  readonly to: Address
  readonly amount: bigint
  /** null: a bare transfer. */
  readonly reference: Hex | null
}

type Refused = { type: 'refused'; message: string }

/** The actions of the test helpers on a development chain, and its clock, which they move. */
export type DevelopmentChain = {
  readonly chainId: number
  /** Unix milliseconds by the chain's clock; by the machine's before the first request. */
  now(): number
  /**
   * Reads the chain's time, which test helpers may have moved. While the chain does not respond, the clock continues.
   */
  readClock(): Promise<void>
  /** Seconds between its blocks; null: it makes blocks only on request, or does not report the interval. */
  blockSeconds(): Promise<number | null>
  /** Sends a transfer of the token, without waiting for its block. */
  pay(
    payment: Payment,
  ): Promise<{ type: 'sent'; txHash: Hex } | { type: 'unknown_account' } | Refused>
  mine(blocks: number): Promise<ChainHead>
  advanceTime(seconds: number): Promise<ChainHead>
  /** Seconds from the time of the next block to a Unix time in seconds; 0 if that has passed. */
  secondsUntil(timestamp: number): Promise<number>
  /** Replaces the last blocks by as many empty ones. */
  reorg(depth: number): Promise<{ type: 'reorged'; head: ChainHead } | Refused>
}

type Block = { number: Hex; hash: Hex; timestamp: Hex; miner: Hex }

/** Calls a local anvil node, which holds the keys of its accounts. */
export function developmentChain(options: {
  url: string
  chainId: number
  token: Address
}): DevelopmentChain {
  const client = createClient({
    transport: http(options.url, {
      retryCount: 0,
      fetchOptions: { headers: { 'user-agent': userAgent } },
    }),
  })
  const rpc = <Result>(method: string, ...params: unknown[]) =>
    client.request({ method, params } as never) as Promise<Result>
  const clock = chainClock(nextTimestamp)

  /** Unix seconds. The time of the next block is the node's clock; the newest block may be from before a restart. */
  async function nextTimestamp(): Promise<number> {
    return Number((await rpc<Block>('eth_getBlockByNumber', 'pending', false)).timestamp)
  }

  async function latest(): Promise<ChainHead & { miner: Hex }> {
    const block = await rpc<Block>('eth_getBlockByNumber', 'latest', false)
    const { hash, miner } = block
    return { number: Number(block.number), hash, timestamp: Number(block.timestamp), miner }
  }

  async function mine(blocks: number): Promise<ChainHead> {
    await rpc('anvil_mine', numberToHex(blocks))
    return latest()
  }

  async function advanceTime(seconds: number): Promise<ChainHead> {
    await rpc('evm_increaseTime', numberToHex(seconds))
    return mine(1)
  }

  // The node assigns the same nonce to two concurrent transactions.
  let last: Promise<unknown> = Promise.resolve()
  function serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  async function pay(payment: Payment): ReturnType<DevelopmentChain['pay']> {
    const { from, to, amount, reference } = payment
    // The first account is the token's owner; the following accounts are plain payers.
    const [owner, ...payers] = await rpc<Address[]>('eth_accounts')
    const accounts = [...payers, ...(owner ? [owner] : [])].map(lower)
    const payer = accounts.find((account) => (from ? account === lower(from) : account !== to))
    if (!payer) return { type: 'unknown_account' }
    const args = [to, amount] as const
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    const data = reference === null ? transfer : concat([transfer, reference])
    const call = { from: payer, to: options.token, data }
    // Simulate first: a transfer that reverts would be mined like any other.
    const refused = await refusal(rpc('eth_call', call, 'pending'))
    if (refused) return refused
    return { type: 'sent', txHash: await rpc<Hex>('eth_sendTransaction', call) }
  }

  async function reorg(depth: number): ReturnType<DevelopmentChain['reorg']> {
    const { miner } = await latest()
    // Two empty blocks of one second on one parent are identical: another miner makes the new blocks differ.
    await rpc('anvil_setCoinbase', pad(numberToHex(BigInt(miner) + 1n), { size: 20 }))
    const refused = await refusal(rpc('anvil_reorg', depth, []))
    return refused ?? { type: 'reorged', head: await latest() }
  }

  return {
    chainId: options.chainId,
    ...clock,
    blockSeconds: () => rpc<number | null>('anvil_getIntervalMining').catch(() => null),
    secondsUntil: async (timestamp) => Math.max(0, timestamp - (await nextTimestamp())),
    pay: (payment) => serialize(() => pay(payment)),
    mine: (blocks) => serialize(() => mine(blocks)),
    advanceTime: (seconds) => serialize(() => advanceTime(seconds)),
    reorg: (depth) => serialize(() => reorg(depth)),
  }
}

/** A clock that follows another clock, which is read now and then in whole seconds. */
function chainClock(
  readSeconds: () => Promise<number>,
): Pick<DevelopmentChain, 'now' | 'readClock'> {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    async readClock() {
      const before = Date.now()
      const seconds = await readSeconds().catch(() => null)
      if (seconds === null) return
      // Move it no further than the response requires, so that it does not swing with response times.
      const earliest = seconds * 1_000 - Date.now()
      const latest = seconds * 1_000 + 999 - before
      ahead = Math.max(earliest, Math.min(latest, ahead))
    },
  }
}

/** Returns the node's refusal of a request; throws when the node does not respond. */
async function refusal(request: Promise<unknown>): Promise<Refused | null> {
  try {
    await request
    return null
  } catch (error) {
    const response =
      error instanceof BaseError && error.walk((cause) => cause instanceof RpcRequestError)
    if (!(response instanceof RpcRequestError)) throw error
    return { type: 'refused', message: response.details }
  }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
