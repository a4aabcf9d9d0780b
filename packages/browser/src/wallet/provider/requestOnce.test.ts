import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EIP1193Provider } from '../../checkoutOptions.ts'
import { forgetOpenRequests, requestOnce } from './requestOnce.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const connect = { method: 'eth_requestAccounts' }

/** A wallet whose requests stay open until the test settles them. */
function slowWallet() {
  const open: { resolve: (value: unknown) => void; reject: (error: unknown) => void }[] = []
  const provider: EIP1193Provider = {
    request: () => new Promise((resolve, reject) => open.push({ resolve, reject })),
  }
  return { provider, open }
}

test('the same request is open once, and every caller gets its response', async () => {
  const { provider, open } = slowWallet()
  const both = [requestOnce(provider, connect), requestOnce(provider, connect)]
  expect(open).toHaveLength(1)
  open[0]?.resolve(['0x1'])
  expect(await Promise.all(both)).toEqual([['0x1'], ['0x1']])
})

test('other requests and other wallets are separate', () => {
  const wallet = slowWallet()
  const other = slowWallet()
  const to = (chainId: string) => ({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
  for (const request of [connect, to('0x1'), to('0x2')]) requestOnce(wallet.provider, request)
  requestOnce(other.provider, connect)
  expect([wallet.open.length, other.open.length]).toEqual([3, 1])
})

test.each([
  ['a response', ({ open }: ReturnType<typeof slowWallet>) => open[0]?.resolve(null)],
  ['a refusal', ({ open }: ReturnType<typeof slowWallet>) => open[0]?.reject({ code: 4001 })],
  ['a minute', () => vi.advanceTimersByTimeAsync(60_000)],
  ['a restore of the page', forgetOpenRequests],
])('a request is sent again after %s', async (_, happens) => {
  const wallet = slowWallet()
  requestOnce(wallet.provider, connect).catch(() => {})
  await happens(wallet)
  await vi.advanceTimersByTimeAsync(0)
  requestOnce(wallet.provider, connect)
  expect(wallet.open).toHaveLength(2)
})

test('a late response to the first request does not end the second request', async () => {
  const { provider, open } = slowWallet()
  requestOnce(provider, connect)
  await vi.advanceTimersByTimeAsync(60_000)
  const second = requestOnce(provider, connect)
  open[0]?.resolve(null)
  await vi.advanceTimersByTimeAsync(0)
  expect(requestOnce(provider, connect)).toBe(second)
})
