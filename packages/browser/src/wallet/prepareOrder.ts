import type { Address } from '@payment-intents/contract'
import type { WalletStep } from '../checkout/state.ts'
import type { EIP1193Provider } from '../checkoutOptions.ts'
import { payableDue, priceDue } from '../lib/amount.ts'
import { isHex } from '../lib/isHex.ts'
import { sleep } from '../lib/sleep.ts'
import type { Intent } from '../service/parseIntent.ts'
import { gaslessOf, type Signable } from './authorization.ts'
import { checkPayment } from './checkPayment.ts'
import { encodeTransfer, type Order } from './encodeTransfer.ts'
import type { Problem } from './problem.ts'
import { type ReadWallet, readWallet } from './provider/readWallet.ts'
import { requestOnce } from './provider/requestOnce.ts'
import { walletError } from './provider/walletError.ts'
import { takesCalls } from './sendCalls.ts'
import { type Network, type OnChain, onChainChanged, switchChain } from './switchChain.ts'

/** The payment that a wallet makes for an intent. */
export type WalletPayment = {
  network: Network
  token: string
  to: string
  /** In the token's smallest units: the price, and the amount that identifies the payment by itself. */
  price: bigint
  payable: bigint
  reference: string
  /** The authorization that an account can sign instead of a transfer; `null` if it cannot. */
  gasless: Signable | null
  /** The account of the last authorization that the service has, of any status. The token may still take that authorization, so the account signs no other. */
  earlierSigner: string | null
  /** The account that signs, and no other; `null` for any account, which may also send a transfer. */
  onlyFrom?: string | null
  /** The payer goes on without gas, since the wallet may pay for it. */
  isSponsored: boolean
  /** Methods that this wallet failed at, the latest last. */
  unusable: readonly Order['method'][]
}

export type Prepared =
  | { outcome: 'ready'; order: Order }
  | { outcome: 'failed'; problem: Problem }
  | { outcome: 'abandoned' }

type Steps = {
  onStep: (step: Exclude<WalletStep, 'connecting' | 'confirming'>) => void
  /** Once aborted, the wallet receives no more requests. */
  signal: AbortSignal
}

/** Requests of which a wallet has only one open. */
const single = /^(eth_requestAccounts|wallet_(switch|add)EthereumChain)$/

/** Some wallets never respond to a method that they do not support. */
const capabilitiesMs = 3000
const pollMs = 1000

/**
 * Connects, switches the chain and checks, before the wallet receives a payment request. Never rejects. Invariant: `eth_requestAccounts` is
 * sent before anything is awaited, since wallets that open a window may do so only in response to the click itself.
 */
export async function prepareOrder(
  provider: EIP1193Provider,
  payment: WalletPayment,
  steps: Steps,
): Promise<Prepared> {
  const { signal } = steps
  // Sends no request once the payer has left.
  const guarded: EIP1193Provider = {
    async request(args) {
      signal.throwIfAborted()
      return single.test(args.method) ? requestOnce(provider, args) : provider.request(args)
    },
  }
  try {
    const prepared = await prepare(guarded, payment, {
      ...steps,
      onChain: (listener, end) => onChainChanged(provider, listener, end),
    })
    return signal.aborted ? { outcome: 'abandoned' } : prepared
  } catch (error) {
    return signal.aborted ? { outcome: 'abandoned' } : failed({ code: walletError(error) })
  }
}

async function prepare(
  provider: EIP1193Provider,
  payment: WalletPayment,
  { onStep, onChain, signal }: Steps & { onChain: OnChain },
): Promise<Prepared> {
  const { network, token, to, price, payable, reference } = payment
  const read = readWallet(provider, signal)
  const payer = firstAccount(await connect(provider, read, { onStep, signal }))
  if (!payer) return failed({ code: 'wallet_unauthorized' })
  const { onlyFrom } = payment
  if (onlyFrom && onlyFrom.toLowerCase() !== payer.toLowerCase()) {
    return failed({ code: 'wallet_unauthorized', account: onlyFrom })
  }
  signal.throwIfAborted()

  const misplaced = await switchChain(provider, read, network, { signal, onChain, onStep })
  if (misplaced) return failed(misplaced)
  signal.throwIfAborted()

  onStep('checking')
  const chainId = `0x${network.chainId.toString(16)}`
  const [smart, code] = await Promise.all([
    takesCalls(readWallet(provider, signal, capabilitiesMs), payer, chainId),
    codeOf(read, payer),
  ])
  const method = methodOf(payment, { payer, smart, code })
  if (!method) return failed({ code: 'method_unsupported' })
  const gasless = method === 'authorization' ? payment.gasless : null
  // A smart account may wrap the transfer, which hides the reference; the amount then identifies the payment.
  const amount = gasless || (!smart && code === '0x') ? price : payable
  const data = encodeTransfer({ to, amount, reference })
  const gas = gasless || smart || payment.isSponsored ? 'wallet' : 'payer'
  const nonce = gasless && reference
  const check = { payer, recipient: to, token, amount, data, nonce, code, gas } as const
  const { problem, ...checked } = await checkPayment(read, check)
  if (problem) return failed(problem)
  const authorization = gasless && {
    domain: gasless.domain,
    message: { from: payer as Address, ...gasless.message },
  }
  const fee = gasless && code === '0x' ? 0n : checked.fee
  const order = {
    payer,
    chainId,
    token,
    data,
    reference,
    amount,
    method,
    authorization,
    fee,
  } as const
  return { outcome: 'ready', order }
}

type Account = { payer: string; smart: boolean; code: unknown }

/**
 * The method that an account can use and has not failed at, or not for the longest time. An account of a key signs first,
 * also with code of EIP-7702. A contract sends first: its signature may need several owners, and the token may not take it.
 * A smart wallet that sends batches finds its own gas.
 *
 * @returns undefined if only a signature counts, and the account cannot sign
 */
function methodOf(payment: WalletPayment, account: Account): Order['method'] | undefined {
  const { payer, smart, code } = account
  const isKey = code === '0x' || /^0xef0100/i.test(String(code))
  const hasSigned = payment.earlierSigner?.toLowerCase() === payer.toLowerCase()
  const signs = payment.gasless && typeof code === 'string' && !hasSigned
  const sends = smart ? (['batch', 'transaction'] as const) : (['transaction'] as const)
  const signing = signs && (!smart || code !== '0x') ? (['authorization'] as const) : []
  const methods = isKey ? [...signing, ...sends] : [...sends, ...signing]
  if (payment.onlyFrom) return signing[0]
  const failedAt = (method: Order['method']) => payment.unusable.lastIndexOf(method)
  return methods.sort((a, b) => failedAt(a) - failedAt(b))[0]
}

/** @param now the service's clock, in milliseconds */
export function toPayment(intent: Intent, now: number): WalletPayment {
  const { network } = intent
  return {
    network: {
      chainId: intent.chain_id,
      name: network.name,
      nativeSymbol: network.native_symbol,
      rpcUrl: network.rpc_url,
      explorerUrl: network.explorer_url,
    },
    token: intent.token_address,
    to: intent.expected_wallet,
    price: priceDue(intent),
    payable: payableDue(intent),
    reference: intent.payment_reference,
    gasless: gaslessOf(intent, now),
    earlierSigner: intent.authorization?.from ?? null,
    isSponsored: false,
    unusable: [],
  }
}

/** A wallet with an open request shares its accounts once the payer has finished that request. */
async function connect(
  provider: EIP1193Provider,
  read: ReadWallet,
  { onStep, signal }: Steps,
): Promise<unknown> {
  try {
    return await provider.request({ method: 'eth_requestAccounts' })
  } catch (error) {
    const code = walletError(error)
    if (code !== 'request_pending') throw error
    onStep(code)
    for (;;) {
      await sleep(pollMs, signal)
      const accounts = await read('eth_accounts').catch(() => {
        throw error
      })
      if (firstAccount(accounts)) return accounts
    }
  }
}

async function codeOf(read: ReadWallet, account: string): Promise<unknown> {
  try {
    return await read('eth_getCode', account, 'latest')
  } catch {
    return null
  }
}

function firstAccount(accounts: unknown): string | null {
  const [first] = Array.isArray(accounts) ? accounts : []
  return isHex(first, 40) ? first : null
}

function failed(problem: Problem): Prepared {
  return { outcome: 'failed', problem }
}
