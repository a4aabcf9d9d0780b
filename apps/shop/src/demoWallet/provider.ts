import type { ConsentRequest } from './askConsent.ts'
import { callRpc } from './callRpc.ts'
import { readMeaning, readTransaction } from './readTransaction.ts'
import { RpcError } from './rpcError.ts'

type Listener = (payload: unknown) => void

/** EIP-1193. */
export type Provider = {
  request(args: { method: string; params?: unknown }): Promise<unknown>
  on(event: string, listener: Listener): Provider
  removeListener(event: string, listener: Listener): Provider
}

type Options = {
  /** Of the development chain, whose node holds the keys. */
  readonly rpcUrl: string
  /** Which of the node's accounts pays. */
  readonly accountIndex: number
  ask(request: ConsentRequest): Promise<'approved' | 'rejected'>
}

/** A fresh wallet is on Ethereum, as most are; the development chain must be added first. */
const ethereum = '0x1'

const forwarded = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
])

/** The demo wallet's provider. It behaves as extension wallets do, errors included; its money is worth nothing. */
export function createProvider(options: Options): Provider {
  const listeners = new Map<string, Set<Listener>>()
  const chains = new Map([[ethereum, 'Ethereum']])
  let chainId = ethereum
  let accounts: readonly string[] = []
  let asking = false

  const provider: Provider = {
    async request({ method, params }) {
      switch (method) {
        case 'eth_chainId':
          return chainId
        case 'net_version':
          return String(Number(chainId))
        case 'eth_accounts':
          return [...accounts]
        case 'eth_requestAccounts':
          return connect()
        case 'wallet_switchEthereumChain':
          return switchChain(readChain(params).chainId)
        case 'wallet_addEthereumChain':
          return addChain(readChain(params))
        case 'eth_sendTransaction':
          return send(params)
      }
      if (forwarded.has(method)) return forward(method, params ?? [])
      throw new RpcError(4200, `Demo Wallet does not support ${method}.`)
    },
    on(event, listener) {
      const known = listeners.get(event) ?? new Set()
      listeners.set(event, known.add(listener))
      return provider
    },
    removeListener(event, listener) {
      listeners.get(event)?.delete(listener)
      return provider
    },
  }
  return provider

  async function connect(): Promise<string[]> {
    if (accounts.length > 0) return [...accounts]
    const held = (await callRpc(options.rpcUrl, 'eth_accounts', [])) as string[]
    const account = held[options.accountIndex]
    if (!account)
      throw new RpcError(4100, `The development chain has no account ${options.accountIndex}.`)
    await consent({ kind: 'connect', account, accountIndex: options.accountIndex })
    accounts = [account]
    emit('accountsChanged', [account])
    return [account]
  }

  function switchChain(wanted: string): null {
    if (!chains.has(wanted))
      throw new RpcError(4902, `Demo Wallet does not know chain ${wanted}; add it first.`)
    if (wanted === chainId) return null
    chainId = wanted
    emit('chainChanged', chainId)
    return null
  }

  async function addChain(chain: RequestedChain): Promise<null> {
    const served = await callRpc(options.rpcUrl, 'eth_chainId', [])
    if (chain.chainId !== served)
      throw new RpcError(-32602, `Demo Wallet pays on the development chain only, ${served}.`)
    chains.set(chain.chainId, chain.chainName || 'Development chain')
    return switchChain(chain.chainId)
  }

  async function send(params: unknown): Promise<unknown> {
    const transaction = readTransaction(params)
    const from = transaction.from.toLowerCase()
    if (!accounts.some((account) => account.toLowerCase() === from))
      throw new RpcError(4100, 'This page may not use that account; connect it first.')
    requireDevelopmentChain()
    await consent({
      kind: 'send',
      account: transaction.from,
      accountIndex: options.accountIndex,
      to: transaction.to,
      meaning: readMeaning(transaction),
      network: chains.get(chainId) ?? chainId,
    })
    return callRpc(options.rpcUrl, 'eth_sendTransaction', [transaction])
  }

  async function forward(method: string, params: unknown): Promise<unknown> {
    requireDevelopmentChain()
    return callRpc(options.rpcUrl, method, params)
  }

  function requireDevelopmentChain(): void {
    if (chainId === ethereum)
      throw new RpcError(4901, 'Demo Wallet has no connection to Ethereum; switch the chain first.')
  }

  async function consent(request: ConsentRequest): Promise<void> {
    if (asking) throw new RpcError(-32002, 'Demo Wallet is already asking; answer it first.')
    asking = true
    try {
      const answer = await options.ask(request)
      if (answer === 'rejected') throw new RpcError(4001, 'The payer rejected this in Demo Wallet.')
    } finally {
      asking = false
    }
  }

  function emit(event: string, payload: unknown): void {
    for (const listener of listeners.get(event) ?? []) listener(payload)
  }
}

type RequestedChain = { readonly chainId: string; readonly chainName: string }

function readChain(params: unknown): RequestedChain {
  const given = Array.isArray(params) ? params[0] : undefined
  const { chainId, chainName } = (given ?? {}) as { chainId?: unknown; chainName?: unknown }
  if (typeof chainId !== 'string' || !/^0x[1-9a-f][0-9a-f]*$/.test(chainId))
    throw new RpcError(
      -32602,
      'A chain is named by `chainId` in hexadecimal, without leading zeros.',
    )
  return { chainId, chainName: typeof chainName === 'string' ? chainName : '' }
}
