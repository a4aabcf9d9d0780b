import { chainFacts } from '@payment-intents/contract/chains'
import {
  type Address,
  createPublicClient,
  decodeFunctionData,
  erc20Abi,
  http,
  pad,
  parseAbi,
  parseEventLogs,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { account, tokenBalance } from '../../test/testSupport.ts'
import type { Hex } from './devAccounts.ts'
import { mineIdleBlocks } from './mineIdleBlocks.ts'
import { type DevChain, startDevChain } from './startDevChain.ts'

const shop: Address = '0x1111111111111111111111111111111111111111'
const reference: Hex = pad('0xabcdef', { size: 32 })

let chain: DevChain
let balances: bigint[]
beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
  balances = await Promise.all(chain.accounts.map(({ address }) => tokenBalance(chain, address)))
})
afterAll(() => chain.stop())

const reader = () => createPublicClient({ transport: http(chain.url) })
const head = () => reader().getBlock()

describe('a started chain', () => {
  it('has the id of Base Sepolia and the listed accounts', async () => {
    expect(await reader().getChainId()).toBe(84532)
    const accounts = await chain.rpc<Hex[]>('eth_accounts')
    expect(chain.accounts.map(({ address }) => address.toLowerCase())).toEqual(accounts)
  })

  it('is Polygon Amoy on request, with a token whose signatures are valid only there', async () => {
    const amoy = await startDevChain({ chain: 'polygon', blockTime: 0 })
    try {
      const { chainId, usdc, usdcDomainSeparator } = chainFacts('testnet', 'polygon')
      const client = createPublicClient({ transport: http(amoy.url) })
      expect([amoy.chainId, await client.getChainId()]).toEqual([chainId, chainId])
      expect(amoy.token).toBe(usdc)
      expect(await tokenBalance(amoy, account(amoy, 9))).toBe(1_000_000_000_000n)
      const abi = parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)'])
      const read = { abi, address: usdc, functionName: 'DOMAIN_SEPARATOR' } as const
      expect(await client.readContract(read)).toBe(usdcDomainSeparator)
      await amoy.pay({ from: account(amoy, 1), to: shop, amount: 3n })
      expect(await tokenBalance(amoy, shop)).toBe(3n)
    } finally {
      await amoy.stop()
    }
  })

  it('funds every account with 1,000,000 USDC', () => {
    expect(balances).toEqual(Array(10).fill(1_000_000_000_000n))
  })

  it('responds to a page of another origin, preflight included', async () => {
    const origin = 'http://localhost:4243'
    const preflight = await fetch(chain.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.ok).toBe(true)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type')
    const response = await fetch(chain.url, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('mines by the wall clock with a block time', async () => {
    const startedAt = Math.floor(Date.now() / 1000)
    const clocked = await startDevChain({ blockTime: 1 })
    try {
      const client = createPublicClient({
        transport: http(clocked.url),
        pollingInterval: 50,
        cacheTime: 0,
      })
      const { blockNumber } = await client.waitForTransactionReceipt({
        hash: (await clocked.pay({ from: account(clocked, 1), to: shop, amount: 1n })).hash,
      })
      // An interval block; two interval blocks may have the same second.
      const block = await until(async () => {
        const latest = await client.getBlock()
        expect(latest.number).toBeGreaterThan(blockNumber)
        return latest
      })
      expect(Number(block.timestamp)).toBeGreaterThanOrEqual(startedAt)
      const now = Math.floor(Date.now() / 1000)
      expect(Number(block.timestamp)).toBeLessThanOrEqual(now)
    } finally {
      await clocked.stop()
    }
  })
})

describe('blocks', () => {
  it('rest while nothing happens, go on for a payment, and keep an interval that the user sets', async () => {
    const interval = () => chain.rpc<number | null>('anvil_getIntervalMining')
    const resting = new AbortController()
    await chain.rpc('evm_setIntervalMining', [1])
    const stopped = mineIdleBlocks(chain.url, 1, { busy: 2, idle: 600 }, resting.signal)
    try {
      await until(async () => expect(await interval()).toBe(600))
      const { hash } = await chain.pay({ from: account(chain, 1), to: shop, amount: 1n })
      // The payment is mined although a block would come in ten minutes.
      const { blockNumber } = await until(() => reader().getTransactionReceipt({ hash }))
      await until(async () =>
        expect(await reader().getBlockNumber({ cacheTime: 0 })).toBeGreaterThan(blockNumber),
      )
      await until(async () => expect(await interval()).toBe(600))
      const before = await reader().getBlockNumber({ cacheTime: 0 })
      // Somebody sets the interval while the blocks are read, so that a block comes soon.
      const send = globalThis.fetch
      let isSet = false
      let polls = 0
      vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
        const body = String(init?.body)
        if (isSet && body.includes('anvil_getIntervalMining')) polls += 1
        if (!isSet && body.includes('txpool_status')) {
          isSet = true
          await chain.rpc('evm_setIntervalMining', [300])
          await chain.rpc('eth_sendTransaction', [{ from: account(chain, 1), to: shop }])
        }
        return send(url, init)
      })
      // The end of this poll, and the next poll.
      await until(() => expect(polls).toBeGreaterThan(1))
      expect([await interval(), await reader().getBlockNumber({ cacheTime: 0 })]).toEqual([
        300,
        before,
      ])
    } finally {
      resting.abort()
      await stopped
      await chain.rpc('evm_setIntervalMining', [0])
      await chain.rpc('evm_setAutomine', [true])
      await chain.mine()
    }
  })

  it('can be read with their receipts and logs after anvil dropped their state', async () => {
    // A chain with a block time keeps fewer states.
    const timed = await startDevChain({ blockTime: 600 })
    try {
      const client = createPublicClient({ transport: http(timed.url) })
      const { hash } = await timed.pay({ from: account(timed, 1), to: shop, amount: 5n })
      await timed.mine(100)
      const { blockNumber, blockHash, status } = await client.getTransactionReceipt({ hash })
      expect(status).toBe('success')
      expect(await client.getBlock({ blockNumber })).toMatchObject({ hash: blockHash })
      const logs = await client.getLogs({ fromBlock: blockNumber, toBlock: blockNumber })
      expect(logs).toMatchObject([{ transactionHash: hash }])
      await expect(client.getBalance({ address: shop, blockNumber })).rejects.toThrow()
    } finally {
      await timed.stop()
    }
  })

  it('keep no hashes in the state', async () => {
    const address = '0x0000F90827F1C53a10cb7A02335B175320002935'
    expect(await chain.rpc('eth_getCode', [address, 'latest'])).toBe('0x')
  })
})

describe('pay', () => {
  it('appends the reference to the calldata of a transfer that succeeds', async () => {
    const from = account(chain, 1)
    const before = await tokenBalance(chain, shop)
    const { hash } = await chain.pay({ from, to: shop, amount: 12_340_000n, reference })

    const { input, to } = await reader().getTransaction({ hash })
    expect(to).toBe(chain.token.toLowerCase())
    expect(input).toHaveLength(2 + 2 * (4 + 32 + 32 + 32))
    expect(`0x${input.slice(-64)}`).toBe(reference)
    const call = decodeFunctionData({ abi: erc20Abi, data: input })
    expect(call).toEqual({ functionName: 'transfer', args: [shop, 12_340_000n] })

    const receipt = await reader().getTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    const [log, ...others] = parseEventLogs({ abi: erc20Abi, logs: receipt.logs })
    expect(others).toEqual([])
    expect(log).toMatchObject({
      eventName: 'Transfer',
      args: { from, to: shop, value: 12_340_000n },
    })
    expect(await tokenBalance(chain, shop)).toBe(before + 12_340_000n)
  })

  it('sends zero, as USDC does', async () => {
    const { hash } = await chain.pay({ from: account(chain, 1), to: shop, amount: 0n })
    const receipt = await reader().getTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', logs: { length: 1 } })
  })

  it('refuses a reference of another length', async () => {
    const payment = { from: account(chain, 1), to: shop, amount: 1n, reference: '0xab' as const }
    await expect(chain.pay(payment)).rejects.toThrow('32 bytes')
  })

  it('throws the token’s error when it would revert', async () => {
    const payment = { from: account(chain, 1), to: shop, amount: 10n ** 18n }
    const { number } = await head()
    await expect(chain.pay(payment)).rejects.toThrow('reverted')
    expect((await head()).number).toBe(number)
  })
})

describe('time and blocks', () => {
  it('mines the requested number of blocks', async () => {
    const { number } = await head()
    await chain.mine()
    await chain.mine(5)
    expect((await head()).number).toBe(number + 6n)
  })

  it('sets the time of the next block, and moves on', async () => {
    const { timestamp } = await head()
    await chain.setNextBlockTime(Number(timestamp) + 100)
    await chain.mine()
    expect((await head()).timestamp).toBe(timestamp + 100n)
    await chain.increaseTime(1_000)
    await chain.mine()
    expect(Number((await head()).timestamp - timestamp)).toBeGreaterThanOrEqual(1_100)
  })
})

describe('reorg', () => {
  it('replaces the last blocks by empty ones and keeps the height', async () => {
    const before = await tokenBalance(chain, shop)
    const latest = await head()
    const { hash } = await chain.pay({ from: account(chain, 1), to: shop, amount: 7n })
    await chain.mine(2)
    const dropped = await head()

    await chain.reorg(3)

    const now = await head()
    expect(now.number).toBe(dropped.number)
    expect(now.hash).not.toBe(dropped.hash)
    expect((await reader().getBlock({ blockNumber: latest.number })).hash).toBe(latest.hash)
    expect(await chain.rpc('eth_getTransactionReceipt', [hash])).toBeNull()
    expect(await tokenBalance(chain, shop)).toBe(before)
  })

  it('does not change the clock', async () => {
    await chain.increaseTime(1_000)
    await chain.mine()
    const { timestamp } = await head()
    await chain.reorg(2)
    await chain.mine()
    expect((await head()).timestamp).toBeGreaterThanOrEqual(timestamp)
  })

  it('replaces empty blocks by blocks with other hashes, each time', async () => {
    // On a short chain the new blocks of anvil differ anyway.
    await chain.mine(250)
    const first = await head()
    await chain.reorg(3)
    const second = await head()
    await chain.reorg(3)
    const third = await head()
    expect(new Set([first.hash, second.hash, third.hash]).size).toBe(3)
  })

  it('reaches 64 blocks back', async () => {
    await chain.mine(70)
    const { number } = await head()
    const hashAt = async (blockNumber: bigint) => (await reader().getBlock({ blockNumber })).hash
    const [inside, outside] = [await hashAt(number - 63n), await hashAt(number - 64n)]
    await chain.reorg(64)
    expect(await hashAt(number - 63n)).not.toBe(inside)
    expect(await hashAt(number - 64n)).toBe(outside)
  })
})
