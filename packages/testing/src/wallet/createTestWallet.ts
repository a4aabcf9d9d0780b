import type { OptionNames } from '@payment-intents/contract/options'
import { checkOptions } from '../lib/checkOptions.ts'
import { callRpc } from './callRpc.ts'
import { type OpenAccount, openAccount } from './openAccount.ts'
import { createOwnerPrompt } from './ownerPrompt.ts'
import { readTypedData, type TypedData } from './requests/readTypedData.ts'
import { readChain, readTransaction, type WalletTransaction } from './requests/requestParams.ts'
import { submit, type WalletDecision } from './submit.ts'
import { walletCalls } from './walletCalls.ts'
import { createWalletNetwork } from './walletNetwork.ts'
import { RpcError } from './walletRpcError.ts'

type Listener = (payload: unknown) => void

/** A wallet as pages see it (EIP-1193). */
export type TestWallet = {
  request(args: { method: string; params?: unknown }): Promise<unknown>
  on(event: string, listener: Listener): TestWallet
  removeListener(event: string, listener: Listener): TestWallet
}

/** A prompt to the wallet's owner. */
export type WalletQuestion =
  | { readonly method: 'eth_requestAccounts'; readonly account: string }
  | {
      readonly method: 'eth_sendTransaction' | 'wallet_sendCalls'
      readonly account: string
      readonly transaction: WalletTransaction
      /** Name of the wallet's current chain. */
      readonly network: string
    }
  | {
      readonly method: 'eth_signTypedData_v4'
      readonly account: string
      readonly typedData: TypedData
      /** Name of the wallet's current chain. */
      readonly network: string
    }
  | {
      readonly method: 'wallet_switchEthereumChain' | 'wallet_addEthereumChain'
      /** In hexadecimal. */
      readonly chainId: string
    }

export type TestWalletOptions = {
  /** JSON-RPC URL of the chain that the wallet pays on, such as the `url` of a development chain; a list for several chains. */
  rpcUrl: string | readonly string[]
  /** A private key, or the index of a development node's account; 1, the second, by default. */
  account?: `0x${string}` | number
  /**
   * The initial chain of the wallet; the first of `rpcUrl` by default, and then the wallet has all of them. On any other
   * chain, the page has to add the chain that it needs.
   */
  chainId?: number
  /**
   * Makes it a smart wallet (EIP-5792), which takes a single call per `wallet_sendCalls` and reports this atomic capability:
   * `supported`, or `ready` for an account that must be upgraded first. By default it does not support calls.
   */
  atomic?: 'supported' | 'ready'
  /** Decides for the owner; approves everything by default. */
  decide?: (question: WalletQuestion) => WalletDecision | Promise<WalletDecision>
}

const walletOptions: OptionNames<TestWalletOptions> = {
  ...{ rpcUrl: true, account: true, chainId: true, atomic: true, decide: true },
}

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

/**
 * Creates a wallet for browser tests. It behaves like an extension wallet, including its errors, pays from an account of
 * the chain, and calls `decide` in place of a prompt.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1193
 * @example
 * ```ts
 * import { announceTestWallet, createTestWallet } from '@payment-intents/testing/wallet'
 *
 * const wallet = createTestWallet({
 *   rpcUrl: 'http://localhost:8545',
 *   decide: ({ method }) => (method === 'eth_sendTransaction' ? 'reject' : 'approve'),
 * })
 * announceTestWallet(wallet)
 * ```
 */
export function createTestWallet(options: TestWalletOptions): TestWallet {
  checkOptions('createTestWallet', options, walletOptions)
  const { atomic, decide = () => 'approve' } = options
  const listeners = new Map<string, Set<Listener>>()
  let account: OpenAccount | null = null
  const promptOwner = createOwnerPrompt(decide)
  const network = createWalletNetwork({
    ...{ rpcUrls: [options.rpcUrl].flat(), chainId: options.chainId, promptOwner },
    changed: (chainId) => emit('chainChanged', chainId),
  })
  const { findReachable, requireReachable } = network
  const calls = atomic
    ? walletCalls({ atomic, requireAccount, requireReachable, findReachable, approve })
    : null

  const wallet: TestWallet = {
    async request({ method, params }) {
      switch (method) {
        case 'eth_chainId':
          return network.current()
        case 'net_version':
          return String(Number(await network.current()))
        case 'eth_accounts':
          return account ? [account.address] : []
        case 'eth_requestAccounts':
          return connect()
        case 'wallet_switchEthereumChain':
          return network.switchTo(readChain(params))
        case 'wallet_addEthereumChain':
          return network.add(readChain(params))
        case 'eth_sendTransaction':
          return (await approve(method, readTransaction(params)))()
      }
      if (method === 'eth_signTypedData_v4') return sign(method, params)
      const call = calls?.get(method)
      if (call) return call(params)
      if (!forwarded.has(method)) {
        throw new RpcError(4200, `This wallet does not support ${method}.`)
      }
      return callRpc((await requireReachable()).rpcUrl, method, params ?? [])
    },
    on(event, listener) {
      const handlers = listeners.get(event) ?? new Set()
      listeners.set(event, handlers.add(listener))
      return wallet
    },
    removeListener(event, listener) {
      listeners.get(event)?.delete(listener)
      return wallet
    },
  }
  return wallet

  /** Opens the account at a node. */
  function openOn(rpcUrl: string): Promise<OpenAccount> {
    return openAccount(rpcUrl, options.account ?? 1)
  }

  async function connect(): Promise<string[]> {
    if (!account) {
      const [first] = await findReachable()
      const opened = await openOn(first?.rpcUrl ?? '')
      await promptOwner({ method: 'eth_requestAccounts', account: opened.address })
      account = opened
      emit('accountsChanged', [account.address])
    }
    return [account.address]
  }

  async function approve(
    method: 'eth_sendTransaction' | 'wallet_sendCalls',
    transaction: WalletTransaction,
  ): Promise<() => Promise<string>> {
    requireAccount(transaction.from)
    const { chainId, rpcUrl } = await requireReachable()
    const decision = await promptOwner({
      ...{ method, account: transaction.from, transaction },
      network: network.nameOf(chainId),
    })
    return async () => submit(rpcUrl, await openOn(rpcUrl), transaction, decision)
  }

  async function sign(method: 'eth_signTypedData_v4', params: unknown): Promise<string> {
    const chain = await network.current()
    const { account: signer, typedData } = readTypedData(params, chain)
    const from = requireAccount(signer)
    await promptOwner({ method, account: from.address, typedData, network: network.nameOf(chain) })
    return from.sign(typedData)
  }

  function requireAccount(address: unknown = account?.address): OpenAccount {
    if (account && String(address).toLowerCase() === account.address.toLowerCase()) return account
    throw new RpcError(4100, 'This page may not use that account; connect it first.')
  }

  function emit(event: string, payload: unknown): void {
    for (const listener of listeners.get(event) ?? []) listener(payload)
  }
}
