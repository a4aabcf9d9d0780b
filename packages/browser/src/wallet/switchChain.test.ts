import { afterEach, expect, test, vi } from 'vitest'
import { refuse, scriptedProvider } from '../../test/support/scriptedProvider.ts'
import type { EIP1193Provider } from '../checkoutOptions.ts'
import { readWallet } from './provider/readWallet.ts'
import { type Network, onChainChanged, switchChain as toChain } from './switchChain.ts'

const network = {
  chainId: 84532,
  name: 'Base Sepolia',
  nativeSymbol: 'ETH',
  rpcUrl: 'https://rpc.example',
  explorerUrl: 'https://explorer.example',
}
const targetChain = '0x14a34'
const unknownChains = [
  { code: 4902 },
  { code: -32603, data: { originalError: { code: 4902 } } },
  { code: -32603, message: 'Unrecognized chain ID "0x14a34". Try adding the chain first.' },
]

function switchChain(provider: EIP1193Provider, network: Network) {
  const { signal } = new AbortController()
  return toChain(provider, readWallet(provider, signal), network, {
    signal,
    onChain: (listener, end) => onChainChanged(provider, listener, end),
    onStep: () => {},
  })
}

afterEach(() => {
  vi.useRealTimers()
})

test.each([targetChain, 84532, '84532'])(
  'a wallet that is on the chain already (%s) receives no request to switch',
  async (chainId) => {
    const { provider, methods } = scriptedProvider({ eth_chainId: chainId })
    expect(await switchChain(provider, network)).toBeNull()
    expect(methods()).toEqual(['eth_chainId'])
  },
)

test('switches, and trusts only the chain that the wallet then reports', async () => {
  const { provider, calls } = scriptedProvider({
    eth_chainId: ['0x1', targetChain],
    wallet_switchEthereumChain: null,
  })
  expect(await switchChain(provider, network)).toBeNull()
  expect(calls[1]).toEqual({
    method: 'wallet_switchEthereumChain',
    params: [{ chainId: targetChain }],
  })
})

test('a wallet that returns null and stays on its chain is on the wrong chain', async () => {
  vi.useFakeTimers()
  const { provider } = scriptedProvider({ eth_chainId: '0x1', wallet_switchEthereumChain: null })
  const problem = switchChain(provider, network)
  await vi.advanceTimersByTimeAsync(3500)
  expect(await problem).toEqual({ code: 'wrong_chain' })
  expect(vi.getTimerCount()).toBe(0)
})

test.each(unknownChains)('adds the chain when it is unknown: %o', async (error) => {
  const { provider, calls } = scriptedProvider({
    eth_chainId: ['0x1', targetChain],
    wallet_switchEthereumChain: refuse(error),
    wallet_addEthereumChain: null,
  })
  expect(await switchChain(provider, network)).toBeNull()
  expect(calls.find(({ method }) => method === 'wallet_addEthereumChain')?.params).toEqual([
    {
      chainId: targetChain,
      chainName: 'Base Sepolia',
      nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
      rpcUrls: ['https://rpc.example'],
      blockExplorerUrls: ['https://explorer.example'],
    },
  ])
})

test('a chain without an explorer is added without an explorer URL', async () => {
  const { provider, calls } = scriptedProvider({
    eth_chainId: ['0x1', targetChain],
    wallet_switchEthereumChain: refuse({ code: 4902 }),
    wallet_addEthereumChain: null,
  })
  await switchChain(provider, { ...network, explorerUrl: null })
  const added = calls.find(({ method }) => method === 'wallet_addEthereumChain')
  expect(added?.params[0]).not.toHaveProperty('blockExplorerUrls')
})

test('switches again if the wallet added the chain without switching to it', async () => {
  const { provider, methods } = scriptedProvider({
    eth_chainId: ['0x1', '0x1', targetChain],
    wallet_switchEthereumChain: [refuse({ code: 4902 }), null],
    wallet_addEthereumChain: null,
  })
  expect(await switchChain(provider, network)).toBeNull()
  expect(methods().filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(2)
})

test.each([
  [{ code: 4001 }, 'user_rejected'],
  [{ code: 4200 }, 'method_unsupported'],
])('a refused switch returns the reason: %o', async (error, code) => {
  const { provider } = scriptedProvider({
    eth_chainId: '0x1',
    wallet_switchEthereumChain: refuse(error),
  })
  expect(await switchChain(provider, network)).toEqual({ code })
})

test.each([
  [{ code: 4001 }, 'user_rejected'],
  [{ code: -32602, message: 'Expected an https url' }, 'chain_add_failed'],
  [{ code: 4200 }, 'chain_add_failed'],
])('a chain that cannot be added returns the reason: %o', async (error, code) => {
  const { provider } = scriptedProvider({
    eth_chainId: '0x1',
    wallet_switchEthereumChain: refuse({ code: 4902 }),
    wallet_addEthereumChain: refuse(error),
  })
  expect(await switchChain(provider, network)).toEqual({ code })
})

const forever = () => new Promise(() => {})

test.each([
  [400, 'null', null],
  [2900, 'null', null],
  [10_000, 'nothing', forever],
  // Another request is open, which the payer has to finish first.
  [10_000, '-32002', refuse({ code: -32002 })],
])(
  'a switch that shows after %d ms counts, though the wallet returns %s',
  async (ms, _, response) => {
    vi.useFakeTimers()
    const since = Date.now()
    const { provider, methods } = scriptedProvider({
      eth_chainId: () => (Date.now() - since < ms ? '0x1' : targetChain),
      wallet_switchEthereumChain: response,
    })
    const problem = switchChain(provider, network)
    await vi.advanceTimersByTimeAsync(ms + 500)
    expect(await problem).toBeNull()
    expect(methods().filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  },
)

test('the wallet’s event ends the wait at once, and its listener is removed', async () => {
  // No poll comes before it.
  vi.useFakeTimers()
  const listeners = new Set<() => void>()
  const { provider } = scriptedProvider({
    eth_chainId: ['0x1', targetChain],
    wallet_switchEthereumChain: forever,
  })
  const emitter = {
    on: (_: string, listener: () => void) => listeners.add(listener),
    removeListener: (_: string, listener: () => void) => listeners.delete(listener),
  }
  const problem = switchChain(Object.assign(provider, emitter), network)
  await vi.advanceTimersByTimeAsync(1)
  expect(listeners.size).toBe(1)
  for (const listener of listeners) listener()
  expect(await problem).toBeNull()
  expect(listeners.size).toBe(0)
})

test('a wallet whose events throw is polled', async () => {
  vi.useFakeTimers()
  const { provider } = scriptedProvider({
    eth_chainId: ['0x1', '0x1', targetChain],
    wallet_switchEthereumChain: forever,
  })
  const on = () => {
    throw new Error('no events')
  }
  const problem = switchChain(Object.assign(provider, { on }), network)
  await vi.advanceTimersByTimeAsync(1000)
  expect(await problem).toBeNull()
})
