import { payableDue, priceDue } from '../amount.ts'
import type { EIP1193Provider } from '../options.ts'
import type { Intent } from '../parseIntent.ts'
import { checkPayment } from './checkPayment.ts'
import type { Problem } from './problem.ts'
import { type ReadWallet, readWallet } from './readWallet.ts'
import { takesCalls } from './sendCalls.ts'
import { type Network, switchChain } from './switchChain.ts'
import { encodeTransfer, type Order } from './transfer.ts'
import { walletError } from './walletError.ts'

/** What a wallet is to pay for an intent. */
export type WalletPayment = {
  network: Network
  token: string
  to: string
  /** In the token's smallest units: the price, and the amount that identifies the payment by itself. */
  price: bigint
  payable: bigint
  reference: string
}

export type Prepared =
  | { outcome: 'ready'; order: Order }
  | { outcome: 'failed'; problem: Problem }
  | { outcome: 'abandoned' }

type Steps = {
  onStep: (step: 'switching' | 'checking') => void
  /** Once aborted, the wallet receives no more requests. */
  signal: AbortSignal
}

/** Some wallets never answer a method that they do not support. */
const capabilitiesMs = 3000

/**
 * Connects, switches the chain and checks, before a wallet is asked to pay. Never rejects.
 *
 * Invariant: `eth_requestAccounts` is sent before anything is awaited, since wallets that open a window may do
 * so only in response to the click itself.
 */
export async function prepareOrder(
  provider: EIP1193Provider,
  payment: WalletPayment,
  steps: Steps,
): Promise<Prepared> {
  const { signal } = steps
  // Sends no request once the payer has left.
  const asked: EIP1193Provider = {
    async request(args) {
      signal.throwIfAborted()
      return provider.request(args)
    },
  }
  try {
    const prepared = await prepare(asked, payment, steps)
    return signal.aborted ? { outcome: 'abandoned' } : prepared
  } catch (error) {
    return signal.aborted ? { outcome: 'abandoned' } : failed({ code: walletError(error) })
  }
}

async function prepare(
  provider: EIP1193Provider,
  { network, token, to, price, payable, reference }: WalletPayment,
  { onStep, signal }: Steps,
): Promise<Prepared> {
  const read = readWallet(provider, signal)
  const payer = firstAccount(await provider.request({ method: 'eth_requestAccounts' }))
  if (!payer) return failed({ code: 'wallet_unauthorized' })
  signal.throwIfAborted()

  const misplaced = await switchChain(provider, read, network, () => onStep('switching'))
  if (misplaced) return failed(misplaced)
  signal.throwIfAborted()

  onStep('checking')
  const chainId = `0x${network.chainId.toString(16)}`
  const [smart, code] = await Promise.all([
    takesCalls(readWallet(provider, signal, capabilitiesMs), payer, chainId),
    codeOf(read, payer),
  ])
  // A smart account may wrap the transfer, which hides the reference; the amount then identifies the payment.
  const amount = !smart && code === '0x' ? price : payable
  const data = encodeTransfer({ to, amount, reference })
  const gas = smart ? 'wallet' : 'payer'
  const check = { payer, recipient: to, token, amount, data, code, gas } as const
  const obstacle = await checkPayment(read, check)
  if (obstacle) return failed(obstacle)
  const method = smart ? 'batch' : 'transaction'
  return { outcome: 'ready', order: { payer, chainId, token, data, reference, amount, method } }
}

export function toPayment(intent: Intent): WalletPayment {
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
  return typeof first === 'string' && /^0x[0-9a-f]{40}$/i.test(first) ? first : null
}

function failed(problem: Problem): Prepared {
  return { outcome: 'failed', problem }
}
