import { type Hex, parseTransaction, recoverTypedDataAddress, type TypedDataDefinition } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { account, devAccount, tokenBalance, untilMined } from '../../test/testSupport.ts'
import { type DevChain, startDevChain } from '../devChain/startDevChain.ts'
import {
  createTestWallet,
  type TestWallet,
  type TestWalletOptions,
  type WalletQuestion,
} from './createTestWallet.ts'

let chain: DevChain
let wallet: TestWallet

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
})
afterAll(() => chain.stop())
beforeEach(() => open({}))

const base = { chainId: '0x14a34', chainName: 'Base Sepolia' }

function open(options: Partial<TestWalletOptions>): void {
  wallet = createTestWallet({ rpcUrl: chain.url, ...options })
}

function request(method: string, ...params: unknown[]): Promise<unknown> {
  return wallet.request({ method, params })
}

function failing(code: number) {
  return expect.objectContaining({ code, message: expect.any(String) })
}

function transfer(from: string, to: string, amount: bigint) {
  const word = (hex: string) => hex.padStart(64, '0')
  const data = `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(amount.toString(16))}`
  return { from, to: chain.token, data }
}

const typed = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Greeting: [
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
    ],
  },
  primaryType: 'Greeting',
  domain: { name: 'Test', chainId: 84532 },
  message: { to: `0x${'11'.repeat(20)}`, text: 'Hello' },
} as const

describe.each([
  ['an account of the node', () => ({ account: 3 })],
  ['a private key', () => ({ account: devAccount(chain, 3).privateKey })],
])('with %s', (_, options) => {
  test('pays from it', async () => {
    open(options())
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    expect(from.toLowerCase()).toBe(account(chain, 3).toLowerCase())
    const shop = account(chain, 9)
    const before = await tokenBalance(chain, shop)
    const hash = await request('eth_sendTransaction', transfer(from, shop, 24_000_007n))
    expect(await untilMined(chain, hash)).toMatchObject({ status: '0x1', from: from.toLowerCase() })
    expect((await tokenBalance(chain, shop)) - before).toBe(24_000_007n)
  })

  test('signs typed messages', async () => {
    open(options())
    const [from = ''] = (await request('eth_requestAccounts')) as `0x${string}`[]
    const signature = (await request('eth_signTypedData_v4', from, JSON.stringify(typed))) as Hex
    expect(await recoverTypedDataAddress({ ...(typed as TypedDataDefinition), signature })).toBe(
      account(chain, 3),
    )
  })

  test('returns the chain’s error about a payment', async () => {
    open(options())
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    const unaffordable = transfer(from, from, 10n ** 30n)
    await expect(request('eth_sendTransaction', unaffordable)).rejects.toEqual(failing(3))
  })
})

test.each<[string, unknown, number]>([
  ['another chain', JSON.stringify({ ...typed, domain: { chainId: 1 } }), -32602],
  ['no type of its own', JSON.stringify({ ...typed, primaryType: 'Other' }), -32602],
  ['no JSON', '{', -32602],
])('signs no typed message with %s', async (_, text, code) => {
  const [from] = (await request('eth_requestAccounts')) as string[]
  await expect(request('eth_signTypedData_v4', from, text)).rejects.toEqual(failing(code))
})

test('signs a typed message only after approval, and only for its account', async () => {
  const decide = vi.fn(({ method }: WalletQuestion) =>
    method === 'eth_signTypedData_v4' ? ('reject' as const) : ('approve' as const),
  )
  open({ decide })
  const [from] = (await request('eth_requestAccounts')) as string[]
  const text = JSON.stringify(typed)
  await expect(request('eth_signTypedData_v4', from, text)).rejects.toEqual(failing(4001))
  const network = 'Chain 84532'
  const question = { method: 'eth_signTypedData_v4', account: from, typedData: typed, network }
  expect(decide).toHaveBeenLastCalledWith(question)
  const other = account(chain, 9)
  await expect(request('eth_signTypedData_v4', other, text)).rejects.toEqual(failing(4100))
})

test('signs locally, for nodes that hold no keys', async () => {
  const sent: { method: string; params: [`0x${string}`] }[] = []
  const { fetch } = globalThis
  globalThis.fetch = (url, init) => {
    sent.push(JSON.parse(String(init?.body)))
    return fetch(url, init)
  }
  try {
    open({ account: devAccount(chain, 4).privateKey })
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    await request('eth_sendTransaction', transfer(from, from, 1n))
  } finally {
    globalThis.fetch = fetch
  }
  const methods = sent.map(({ method }) => method)
  expect(methods).not.toContain('eth_sendTransaction')
  expect(methods).not.toContain('eth_accounts')
  const raw = sent.find(({ method }) => method === 'eth_sendRawTransaction')?.params[0] ?? '0x'
  expect(parseTransaction(raw)).toMatchObject({ chainId: 84532 })
})

test('is on the chain of its node, unless `chainId` sets another', async () => {
  expect(await request('eth_chainId')).toBe('0x14a34')
  expect(await request('wallet_switchEthereumChain', base)).toBeNull()
  open({ chainId: 137 })
  expect(await request('eth_chainId')).toBe('0x89')
  await expect(request('wallet_switchEthereumChain', base)).rejects.toEqual(failing(4902))
  await expect(request('eth_blockNumber')).rejects.toEqual(failing(4901))
  await request('wallet_addEthereumChain', base)
  expect(await request('eth_chainId')).toBe('0x14a34')
  await request('wallet_switchEthereumChain', { chainId: '0x89' })
  await request('wallet_switchEthereumChain', base)
  expect(await request('net_version')).toBe('84532')
})

describe('with the nodes of two chains', () => {
  const amoyId = '0x13882'
  let amoy: DevChain
  beforeAll(async () => {
    amoy = await startDevChain({ chain: 'polygon', blockTime: 0 })
  })
  afterAll(() => amoy.stop())
  const both = () => [chain.url, amoy.url]

  test.each([
    ['an account of the nodes', () => 3],
    ['a private key', () => devAccount(chain, 3).privateKey],
  ])('knows both, and pays from %s on the one that it is on', async (_, key) => {
    open({ rpcUrl: both(), account: key() })
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    expect(await request('eth_chainId')).toBe(base.chainId)
    const shop = account(chain, 9)
    const balances = () => Promise.all([tokenBalance(chain, shop), tokenBalance(amoy, shop)])
    const [onBase, onAmoy] = await balances()
    const changes: unknown[] = []
    wallet.on('chainChanged', (chainId) => changes.push(chainId))
    await request('wallet_switchEthereumChain', { chainId: amoyId })
    const paid = { ...transfer(from, shop, 7n), to: amoy.token }
    await untilMined(amoy, await request('eth_sendTransaction', paid))
    expect(await balances()).toEqual([onBase, onAmoy + 7n])
    await request('wallet_switchEthereumChain', base)
    await untilMined(chain, await request('eth_sendTransaction', transfer(from, shop, 5n)))
    expect(await balances()).toEqual([onBase + 5n, onAmoy + 7n])
    expect(changes).toEqual([amoyId, base.chainId])
  })

  test('needs each chain to be added when it starts elsewhere, and uses the node of the current chain', async () => {
    open({ rpcUrl: both(), chainId: 1 })
    const other = { chainId: amoyId, chainName: 'Polygon Amoy' }
    await expect(request('wallet_switchEthereumChain', other)).rejects.toEqual(failing(4902))
    await request('wallet_addEthereumChain', other)
    expect(await request('eth_getCode', amoy.token, 'latest')).not.toBe('0x')
    expect(await request('eth_getCode', chain.token, 'latest')).toBe('0x')
    await expect(request('wallet_switchEthereumChain', base)).rejects.toEqual(failing(4902))
    await expect(request('wallet_addEthereumChain', { chainId: '0x89' })).rejects.toEqual(
      failing(-32602),
    )
  })

  test('takes calls on both, also when the other chain is unreachable', async () => {
    open({ rpcUrl: [...both(), 'http://127.0.0.1:1'], atomic: 'supported' })
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    const atomic = { status: 'supported' }
    expect(await request('wallet_getCapabilities', from)).toEqual({
      [base.chainId]: { atomic },
      [amoyId]: { atomic },
    })
    await request('wallet_switchEthereumChain', { chainId: amoyId })
    const { to, data } = { ...transfer(from, from, 1n), to: amoy.token }
    const calls = { version: '2.0.0', from, chainId: amoyId, atomicRequired: false }
    const sent = await request('wallet_sendCalls', { ...calls, calls: [{ to, data }] })
    const { id } = sent as { id: string }
    await request('wallet_switchEthereumChain', base)
    await until(async () =>
      expect(await request('wallet_getCallsStatus', id)).toMatchObject({ status: 200 }),
    )
  })
})

describe('decide', () => {
  test('receives the owner’s prompts, with all details', async () => {
    const requests: unknown[] = []
    open({
      chainId: 1,
      decide(question) {
        requests.push(question)
        return 'approve'
      },
    })
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    await request('eth_requestAccounts')
    await request('wallet_addEthereumChain', base)
    const transaction = transfer(from, from, 1n)
    await request('eth_sendTransaction', transaction)
    expect(requests).toEqual([
      { method: 'eth_requestAccounts', account: from },
      { method: 'wallet_addEthereumChain', chainId: '0x14a34' },
      { method: 'eth_sendTransaction', account: from, transaction, network: 'Base Sepolia' },
    ])
  })

  test('reject is error 4001, and nothing is shared or sent', async () => {
    open({ decide: () => 'reject' })
    await expect(request('eth_requestAccounts')).rejects.toEqual(failing(4001))
    expect(await request('eth_accounts')).toEqual([])

    open({ decide: ({ method }) => (method === 'eth_sendTransaction' ? 'reject' : 'approve') })
    const [from = ''] = (await request('eth_requestAccounts')) as string[]
    const nonce = () => chain.rpc('eth_getTransactionCount', [from, 'latest'])
    const before = await nonce()
    const call = request('eth_sendTransaction', transfer(from, from, 1n))
    await expect(call).rejects.toEqual(failing(4001))
    expect(await nonce()).toBe(before)
  })

  test('hang leaves the prompt open: the next request is error -32002', async () => {
    let isSettled = false
    await new Promise<void>((resolve) => {
      open({
        decide() {
          resolve()
          return 'hang'
        },
      })
      request('eth_requestAccounts').finally(() => {
        isSettled = true
      })
    })
    await expect(request('eth_requestAccounts')).rejects.toEqual(failing(-32002))
    expect(isSettled).toBe(false)
    expect(await request('eth_accounts')).toEqual([])
  })

  test('lie reports that the chain was switched, and stays', async () => {
    open({ chainId: 1, decide: () => 'lie' })
    const changes: unknown[] = []
    wallet.on('chainChanged', (chainId) => changes.push(chainId))
    expect(await request('wallet_addEthereumChain', base)).toBeNull()
    expect(await request('eth_chainId')).toBe('0x1')
    expect(changes).toEqual([])
  })

  test('that throws closes the prompt', async () => {
    let calls = 0
    open({
      decide() {
        calls += 1
        if (calls === 1) throw new Error('closed')
        return 'approve'
      },
    })
    await expect(request('eth_requestAccounts')).rejects.toThrow('closed')
    expect(await request('eth_requestAccounts')).toHaveLength(1)
  })
})
