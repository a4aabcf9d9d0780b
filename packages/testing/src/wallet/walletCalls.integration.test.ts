import { createWalletClient, custom, type WalletClient } from 'viem'
import { baseSepolia } from 'viem/chains'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { account, tokenBalance, untilMined } from '../../test/testSupport.ts'
import { type DevChain, startDevChain } from '../devChain/startDevChain.ts'
import { createTestWallet, type TestWallet, type TestWalletOptions } from './createTestWallet.ts'

let chain: DevChain
let wallet: TestWallet
let from: `0x${string}`
let shop: `0x${string}`

beforeAll(async () => {
  chain = await startDevChain({ blockTime: 0 })
  shop = account(chain, 9)
})
afterAll(() => chain.stop())
beforeEach(() => open({}))

async function open(options: Partial<TestWalletOptions>): Promise<void> {
  wallet = createTestWallet({ rpcUrl: chain.url, account: 2, atomic: 'supported', ...options })
  const accounts = (await request('eth_requestAccounts')) as `0x${string}`[]
  from = accounts[0] ?? '0x'
}

function request(method: string, ...params: unknown[]): Promise<unknown> {
  return wallet.request({ method, params })
}

function failing(code: number) {
  return expect.objectContaining({ code, message: expect.any(String) })
}

function transfer(to: string, amount: bigint): { to: `0x${string}`; data: `0x${string}` } {
  const word = (hex: string) => hex.padStart(64, '0')
  const data = `0xa9059cbb${word(to.slice(2).toLowerCase())}${word(amount.toString(16))}` as const
  return { to: chain.token, data }
}

function callsWith(more: object = {}) {
  const calls = [transfer(shop, 1n)]
  return { version: '2.0.0', from, chainId: '0x14a34', atomicRequired: false, calls, ...more }
}

/** An independent client, which tests the wallet against the standard. */
function viem(): WalletClient {
  return createWalletClient({ account: from, chain: baseSepolia, transport: custom(wallet) })
}

function status(id: unknown): Promise<unknown> {
  return request('wallet_getCallsStatus', id)
}

test('viem reads its capabilities, sends a call, and waits for it', async () => {
  expect(await viem().getCapabilities({ chainId: baseSepolia.id })).toEqual({
    atomic: { status: 'supported' },
  })
  const before = await tokenBalance(chain, shop)
  const { id } = await viem().sendCalls({ id: 'order-1', calls: [transfer(shop, 24_000_007n)] })
  expect(id).toBe('order-1')
  const done = await viem().waitForCallsStatus({ id, timeout: patience })
  expect(done).toMatchObject({ statusCode: 200, status: 'success', atomic: true, chainId: 84532 })
  expect((await tokenBalance(chain, shop)) - before).toBe(24_000_007n)
  const [receipt] = done.receipts ?? []
  expect(receipt).toMatchObject({
    status: 'success',
    logs: [{ address: chain.token.toLowerCase() }],
  })
  expect(await untilMined(chain, receipt?.transactionHash)).toMatchObject({ status: '0x1' })
})

test('reports capabilities for the chain that it pays on, to connected pages', async () => {
  const supported = { '0x14a34': { atomic: { status: 'supported' } } }
  expect(await request('wallet_getCapabilities', from)).toEqual(supported)
  expect(await request('wallet_getCapabilities', from, ['0x1', '0x14a34'])).toEqual(supported)
  expect(await request('wallet_getCapabilities', from, ['0x1'])).toEqual({})
  await expect(request('wallet_getCapabilities', shop)).rejects.toEqual(failing(4100))
  await open({ atomic: 'ready', chainId: 1 })
  expect(await request('wallet_getCapabilities', from)).toEqual({
    '0x14a34': { atomic: { status: 'ready' } },
  })
})

test('prompts its owner as for a payment, and a rejected call may be sent again', async () => {
  const prompts: unknown[] = []
  await open({
    decide(question) {
      prompts.push(question)
      return prompts.length === 2 ? 'reject' : 'approve'
    },
  })
  const calls = callsWith({ id: 'again' })
  await expect(request('wallet_sendCalls', calls)).rejects.toEqual(failing(4001))
  await expect(status('again')).rejects.toEqual(failing(5730))
  expect(await request('wallet_sendCalls', calls)).toEqual({ id: 'again' })
  const transaction = { from, ...transfer(shop, 1n) }
  const question = { method: 'wallet_sendCalls', account: from, transaction }
  expect(prompts.slice(1)).toEqual([
    { ...question, network: 'Chain 84532' },
    { ...question, network: 'Chain 84532' },
  ])
})

test('an id is sent once, without a second prompt', async () => {
  const prompts: string[] = []
  await open({
    decide({ method }) {
      prompts.push(method)
      return 'approve'
    },
  })
  const calls = callsWith({ id: 'order-2' })
  await request('wallet_sendCalls', calls)
  await expect(request('wallet_sendCalls', calls)).rejects.toEqual(failing(5720))
  expect(prompts).toEqual(['eth_requestAccounts', 'wallet_sendCalls'])
})

test('assigns an id to calls without an id', async () => {
  const [first, second] = [
    await request('wallet_sendCalls', callsWith()),
    await request('wallet_sendCalls', callsWith()),
  ]
  expect(first).toEqual({ id: expect.any(String) })
  expect(second).not.toEqual(first)
})

test('calls that the chain rejects were not sent: their id is free', async () => {
  const unaffordable = callsWith({ id: 'order-3', calls: [transfer(shop, 10n ** 30n)] })
  await expect(request('wallet_sendCalls', unaffordable)).rejects.toEqual(failing(3))
  await expect(status('order-3')).rejects.toEqual(failing(5730))
  expect(await request('wallet_sendCalls', callsWith({ id: 'order-3' }))).toEqual({ id: 'order-3' })
})

describe('status', () => {
  test('is 100 until the call is mined', async () => {
    await chain.rpc('evm_setAutomine', [false])
    try {
      await request('wallet_sendCalls', callsWith({ id: 'waits' }))
      expect(await status('waits')).toEqual({
        version: '2.0.0',
        id: 'waits',
        chainId: '0x14a34',
        atomic: true,
        status: 100,
      })
      await chain.mine()
      expect(await status('waits')).toMatchObject({ status: 200 })
    } finally {
      await chain.rpc('evm_setAutomine', [true])
    }
  })

  test.each(['drop', 'replace'] as const)('is 400 after %s', async (decision) => {
    await open({ decide: () => decision })
    await request('wallet_sendCalls', callsWith({ id: decision }))
    const reported = await status(decision)
    expect(reported).toMatchObject({ status: 400 })
    expect(reported).not.toHaveProperty('receipts')
  })

  test('is 500 after revert', async () => {
    await open({ decide: () => 'revert' })
    await request('wallet_sendCalls', callsWith({ id: 'fails' }))
    const reverted = { status: 500, receipts: [{ status: '0x0', logs: [] }] }
    await expect.poll(() => status('fails')).toMatchObject(reverted)
  })

  test('is error 5730 for an id that was never sent', async () => {
    await expect(status('never')).rejects.toEqual(failing(5730))
    await expect(status(undefined)).rejects.toEqual(failing(5730))
  })
})

test.each([
  ['another version', { version: '1.0' }, -32602],
  ['no chain', { chainId: undefined }, -32602],
  ['a chain as a number', { chainId: 84532 }, -32602],
  ['no word on atomicity', { atomicRequired: undefined }, -32602],
  ['an empty id', { id: '' }, -32602],
  ['an id of more than 4096 characters', { id: 'x'.repeat(4097) }, -32602],
  ['no calls', { calls: [] }, -32602],
  ['a call that is none', { calls: [null] }, -32602],
  ['a call without a recipient', { calls: [{ data: '0x' }] }, -32602],
  ['another account', { from: `0x${'1'.repeat(40)}` }, 4100],
  ['another chain', { chainId: '0x2105' }, 5710],
  ['a capability that it must have', { capabilities: { paymasterService: {} } }, 5700],
  ['two calls', { calls: [{}, {}] }, 5740],
])('refuses %s without a prompt', async (_, parameters, code) => {
  const prompts: string[] = []
  await open({
    decide({ method }) {
      prompts.push(method)
      return 'approve'
    },
  })
  await expect(request('wallet_sendCalls', callsWith(parameters))).rejects.toEqual(failing(code))
  expect(prompts).toEqual(['eth_requestAccounts'])
})

test('a chain may be written in either case', async () => {
  const calls = callsWith({ id: 'case', chainId: '0x14A34' })
  expect(await request('wallet_sendCalls', calls)).toEqual({ id: 'case' })
})

test('ignores an optional capability', async () => {
  const capabilities = { paymasterService: { url: 'https://example.com', optional: true } }
  expect(await request('wallet_sendCalls', callsWith({ id: 'plain', capabilities }))).toEqual({
    id: 'plain',
  })
})

test('takes no calls from an unconnected page, or while it is on another chain', async () => {
  await open({ chainId: 1 })
  await expect(request('wallet_sendCalls', callsWith())).rejects.toEqual(failing(4901))
  wallet = createTestWallet({ rpcUrl: chain.url, atomic: 'supported' })
  await expect(request('wallet_sendCalls', callsWith())).rejects.toEqual(failing(4100))
  await expect(request('wallet_getCapabilities', from)).rejects.toEqual(failing(4100))
})

test('without calls, their methods are error 4200', async () => {
  wallet = createTestWallet({ rpcUrl: chain.url })
  for (const method of ['getCapabilities', 'sendCalls', 'getCallsStatus']) {
    await expect(request(`wallet_${method}`)).rejects.toEqual(failing(4200))
  }
})
