import { type DevChain, startDevChain } from '@payment-intents/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createProvider, type Provider } from './provider.ts'
import type { ConsentRequest } from './requestConsent.ts'

let chain: DevChain
let wallet: Provider
let requested: ConsentRequest[]
let response: () => Promise<'approved' | 'rejected'>

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
})

afterAll(() => chain?.stop())

beforeEach(() => {
  requested = []
  response = async () => 'approved'
  wallet = walletOf(1)
})

const base = { chainId: '0x14a34', chainName: 'Base Sepolia' }

function walletOf(
  accountIndex: number,
  rpcUrl = chain.url,
  kind: 'everyday' | 'smart' = 'everyday',
): Provider {
  return createProvider({
    rpcUrls: [rpcUrl],
    accountIndex,
    kind,
    prompt(request) {
      requested.push(request)
      return response()
    },
  })
}

function request(method: string, ...params: unknown[]): Promise<unknown> {
  return wallet.request({ method, params })
}

function failing(code: number) {
  return expect.objectContaining({ code, message: expect.any(String) })
}

async function connectOnBase(): Promise<string> {
  const [account] = (await request('eth_requestAccounts')) as string[]
  await request('wallet_addEthereumChain', base)
  return account ?? ''
}

test('returns its account once the payer agrees, without a second prompt', async () => {
  const changes: unknown[] = []
  wallet.on('accountsChanged', (accounts) => changes.push(accounts))
  expect(await request('eth_accounts')).toEqual([])
  const account = chain.accounts[1]?.address.toLowerCase()
  expect(await request('eth_requestAccounts')).toEqual([
    expect.stringMatching(new RegExp(account ?? '-', 'i')),
  ])
  const accounts = await request('eth_requestAccounts')
  expect(await request('eth_accounts')).toEqual(accounts)
  expect(requested).toHaveLength(1)
  expect(changes).toEqual([accounts])
})

test('can be any other account of the chain', async () => {
  wallet = walletOf(3)
  const [account] = (await request('eth_requestAccounts')) as string[]
  expect(account?.toLowerCase()).toBe(chain.accounts[3]?.address.toLowerCase())
  wallet = walletOf(99)
  await expect(request('eth_requestAccounts')).rejects.toEqual(failing(4100))
})

test('a payer’s rejection is error 4001, and no account is returned', async () => {
  response = async () => 'rejected'
  await expect(request('eth_requestAccounts')).rejects.toEqual(failing(4001))
  expect(await request('eth_accounts')).toEqual([])
})

test('a second prompt while a prompt is open is error -32002', async () => {
  const decision = Promise.withResolvers<'approved' | 'rejected'>()
  response = () => decision.promise
  const first = request('eth_requestAccounts')
  await expect.poll(() => requested).toHaveLength(1)
  await expect(request('eth_requestAccounts')).rejects.toEqual(failing(-32002))
  decision.resolve('approved')
  await first
  expect(requested).toHaveLength(1)
})

test('starts on Ethereum and needs the development chain added before it switches there', async () => {
  const changes: unknown[] = []
  wallet.on('chainChanged', (chainId) => changes.push(chainId))
  expect(await request('eth_chainId')).toBe('0x1')
  await expect(request('wallet_switchEthereumChain', base)).rejects.toEqual(failing(4902))
  expect(await request('wallet_addEthereumChain', base)).toBeNull()
  expect(await request('eth_chainId')).toBe('0x14a34')
  expect(await request('net_version')).toBe('84532')
  await request('wallet_switchEthereumChain', { chainId: '0x1' })
  await request('wallet_switchEthereumChain', base)
  await request('wallet_switchEthereumChain', base)
  expect(changes).toEqual(['0x14a34', '0x1', '0x14a34'])
})

test('accepts no chain but the development chain', async () => {
  await expect(request('wallet_addEthereumChain', { chainId: '0x2105' })).rejects.toEqual(
    failing(-32602),
  )
  await expect(request('wallet_addEthereumChain', { chainId: '0x014a34' })).rejects.toEqual(
    failing(-32602),
  )
  await expect(request('wallet_switchEthereumChain')).rejects.toEqual(failing(-32602))
})

test('shows the transfer, and moves USDC when the payer approves', async () => {
  const from = await connectOnBase()
  const shop = chain.accounts[9]?.address ?? '0x'
  const balance = () => balanceOf(shop)
  const before = await balance()
  const hash = await request('eth_sendTransaction', transfer(from, shop, 24_000_007n))
  // Anvil responds before it mines.
  const receipt = () => chain.rpc('eth_getTransactionReceipt', [hash])
  await expect.poll(receipt).toMatchObject({ status: '0x1' })
  expect((await balance()) - before).toBe(24_000_007n)
  expect(requested.at(-1)).toMatchObject({
    kind: 'send',
    account: from,
    to: chain.token,
    network: 'Base Sepolia',
    meaning: { kind: 'transfer', recipient: shop.toLowerCase(), amount: 24_000_007n },
  })
})

test('a smart wallet accepts calls and shows their transfer; a plain wallet does not support them', async () => {
  const calls = async () => {
    const from = await connectOnBase()
    const shop = chain.accounts[9]?.address ?? '0x'
    const { to, data } = transfer(from, shop, 24_000_007n)
    const order = { id: 'order-1', chainId: base.chainId, atomicRequired: false }
    return request('wallet_sendCalls', { version: '2.0.0', ...order, calls: [{ to, data }] })
  }
  await expect(calls()).rejects.toEqual(failing(4200))
  wallet = walletOf(1, chain.url, 'smart')
  expect(await calls()).toEqual({ id: 'order-1' })
  expect(requested.at(-1)).toMatchObject({
    kind: 'send',
    to: chain.token,
    meaning: { kind: 'transfer', amount: 24_000_007n },
  })
  const status = () => request('wallet_getCallsStatus', 'order-1')
  await expect.poll(status).toMatchObject({ status: 200 })
})

test('moves nothing when the payer rejects', async () => {
  const from = await connectOnBase()
  const shop = chain.accounts[9]?.address ?? '0x'
  const before = await balanceOf(shop)
  response = async () => 'rejected'
  await expect(request('eth_sendTransaction', transfer(from, shop, 1n))).rejects.toEqual(
    failing(4001),
  )
  expect(await balanceOf(shop)).toBe(before)
})

test('prompts for no payment from an account that the page may not use', async () => {
  await connectOnBase()
  const stranger = chain.accounts[4]?.address ?? ''
  const questions = requested.length
  await expect(request('eth_sendTransaction', transfer(stranger, stranger, 1n))).rejects.toEqual(
    failing(4100),
  )
  expect(requested).toHaveLength(questions)
})

test('reads the development chain, and fails while it is on another chain', async () => {
  const [account] = chain.accounts
  await expect(request('eth_getBalance', account?.address, 'latest')).rejects.toEqual(failing(4901))
  await connectOnBase()
  expect(
    BigInt((await request('eth_getBalance', account?.address, 'latest')) as string),
  ).toBeGreaterThan(0n)
})

test('unsupported methods are error 4200, errors of the chain keep their code, and an unreachable chain is 4900', async () => {
  await expect(request('personal_sign', '0x', '0x')).rejects.toEqual(failing(4200))
  const from = await connectOnBase()
  await expect(request('eth_call', transfer(from, from, 10n ** 30n), 'latest')).rejects.toEqual(
    failing(3),
  )
  wallet = walletOf(1, 'http://127.0.0.1:9')
  await expect(request('eth_requestAccounts')).rejects.toEqual(failing(4900))
})

test('a removed listener is not called', async () => {
  const changes: unknown[] = []
  const listener = (chainId: unknown) => changes.push(chainId)
  wallet.on('chainChanged', listener)
  wallet.removeListener('chainChanged', listener)
  await request('wallet_addEthereumChain', base)
  expect(changes).toEqual([])
})

function transfer(from: string, to: string, amount: bigint) {
  const word = (hex: string) => hex.padStart(64, '0')
  const data = `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(amount.toString(16))}`
  return { from, to: chain.token, data }
}

async function balanceOf(account: string): Promise<bigint> {
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  return BigInt(await chain.rpc<string>('eth_call', [{ to: chain.token, data }, 'latest']))
}
