import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, devAccount, tokenBalance, untilMined } from '../../test/testSupport.ts'
import { type DevChain, startDevChain } from '../devChain/startDevChain.ts'
import { createTestWallet, type TestWallet } from './createTestWallet.ts'
import type { WalletDecision } from './submit.ts'

let chain: DevChain

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
})
afterAll(() => chain.stop())

/** A wallet that shares its account and decides this about transactions. */
async function connected(key: `0x${string}` | number, decision: WalletDecision) {
  const decide = () => decision
  const wallet = createTestWallet({ rpcUrl: chain.url, account: key, decide })
  const [from = ''] = (await request(wallet, 'eth_requestAccounts')) as `0x${string}`[]
  return { wallet, from: from as `0x${string}` }
}

function request(wallet: TestWallet, method: string, ...params: unknown[]): Promise<unknown> {
  return wallet.request({ method, params })
}

function transfer(from: string, to: string, amount: bigint) {
  const word = (hex: string) => hex.padStart(64, '0')
  const data = `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(amount.toString(16))}`
  return { from, to: chain.token, data: `${data}${'c4'.repeat(32)}` }
}

function nonce(from: string): Promise<string> {
  return chain.rpc('eth_getTransactionCount', [from, 'latest'])
}

function readTransaction(hash: unknown): Promise<object | null> {
  return chain.rpc('eth_getTransactionByHash', [hash])
}

const hash = /^0x[0-9a-f]{64}$/

describe.each([
  ['an account of the node', () => 6],
  ['a private key', () => devAccount(chain, 7).privateKey],
])('with %s', (_, key) => {
  test('drop: the network never receives the hash, and the next payment goes through', async () => {
    const { wallet, from } = await connected(key(), 'drop')
    const before = await nonce(from)
    const dropped = await request(wallet, 'eth_sendTransaction', transfer(from, from, 5n))
    expect(dropped).toMatch(hash)
    await chain.mine()
    expect(await readTransaction(dropped)).toBeNull()
    expect(await nonce(from)).toBe(before)

    const shop = account(chain, 9)
    const had = await tokenBalance(chain, shop)
    const { wallet: willing } = await connected(key(), 'approve')
    await untilMined(chain, await request(willing, 'eth_sendTransaction', transfer(from, shop, 7n)))
    expect((await tokenBalance(chain, shop)) - had).toBe(7n)
  })

  test('drop: the hash is that of the signed transaction', async () => {
    const dropping = await connected(key(), 'drop')
    const payment = transfer(dropping.from, dropping.from, 11n)
    const dropped = await request(dropping.wallet, 'eth_sendTransaction', payment)
    const { wallet } = await connected(key(), 'approve')
    // The nonce and gas are equal, so this is the same transaction.
    expect(await request(wallet, 'eth_sendTransaction', payment)).toBe(dropped)
    await untilMined(chain, dropped)
  })

  test('replace: the nonce is taken by another transaction, which makes no payment', async () => {
    const { wallet, from } = await connected(key(), 'replace')
    const before = BigInt(await nonce(from))
    const shop = account(chain, 9)
    const had = await tokenBalance(chain, shop)
    const replaced = await request(wallet, 'eth_sendTransaction', transfer(from, shop, 5n))
    expect(replaced).toMatch(hash)
    await expect.poll(() => nonce(from).then(BigInt)).toBe(before + 1n)
    expect(await readTransaction(replaced)).toBeNull()
    expect(await tokenBalance(chain, shop)).toBe(had)
  })

  test('revert: it is mined, fails, and moves nothing', async () => {
    const { wallet, from } = await connected(key(), 'revert')
    const shop = account(chain, 9)
    const had = await tokenBalance(chain, shop)
    const reverted = await request(wallet, 'eth_sendTransaction', transfer(from, shop, 5n))
    expect(await untilMined(chain, reverted)).toMatchObject({
      status: '0x0',
      transactionHash: reverted,
      to: chain.token.toLowerCase(),
      logs: [],
    })
    expect(await tokenBalance(chain, shop)).toBe(had)
  })

  test.each<WalletDecision>(['drop', 'replace'])(
    '%s: the chain’s refusal of a payment is still reported',
    async (decision) => {
      const { wallet, from } = await connected(key(), decision)
      const before = await nonce(from)
      const unaffordable = transfer(from, from, 10n ** 30n)
      await expect(request(wallet, 'eth_sendTransaction', unaffordable)).rejects.toMatchObject({
        code: 3,
      })
      expect(await nonce(from)).toBe(before)
    },
  )
})
