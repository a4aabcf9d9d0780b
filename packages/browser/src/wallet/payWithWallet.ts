import { amountDue } from '../amount.ts'
import type { EIP1193Provider } from '../options.ts'
import type { Intent } from '../parseIntent.ts'
import { checkPayer } from './checkPayer.ts'
import type { Problem } from './problem.ts'
import { readWallet } from './readWallet.ts'
import { sendCalls, takesCalls } from './sendCalls.ts'
import { type Network, switchChain } from './switchChain.ts'
import { encodeTransfer, isHash } from './transfer.ts'
import { walletError } from './walletError.ts'
import type { Sending } from './watchSending.ts'

export type WalletStep = 'connecting' | 'switching' | 'checking' | 'confirming'

export type WalletPayment = {
  network: Network
  token: string
  to: string
  /** In the token's smallest units. */
  amount: bigint
  reference: string
}

export type WalletOutcome =
  | { outcome: 'sent' | 'duplicate'; sending: Sending }
  | { outcome: 'failed'; problem: Problem }
  | { outcome: 'abandoned' }

type Steps = {
  onStep: (step: WalletStep) => void
  /** Asked before the wallet is to sign, with the account that is about to pay; a problem stops it. */
  admit: (payer: string) => Promise<Problem | null>
  /** Once aborted, the wallet is asked nothing more. */
  signal: AbortSignal
}

/** Many wallets do not know the question, and a few never say so. */
const capabilitiesMs = 3000

/**
 * Takes one payment from one wallet: connect, switch chain, check, transfer. Never rejects.
 *
 * Invariant: `eth_requestAccounts` goes out before anything is awaited, since wallets that open a
 * window may do so only in answer to the click itself.
 */
export async function payWithWallet(
  provider: EIP1193Provider,
  payment: WalletPayment,
  steps: Steps,
): Promise<WalletOutcome> {
  const { signal } = steps
  // Whatever way leads to a question, it is not asked once the payer has gone.
  const asked: EIP1193Provider = {
    async request(args) {
      signal.throwIfAborted()
      return provider.request(args)
    },
  }
  try {
    return await pay(asked, payment, steps)
  } catch (error) {
    return signal.aborted ? { outcome: 'abandoned' } : failed(walletError(error))
  }
}

async function pay(
  provider: EIP1193Provider,
  { network, token, to, amount, reference }: WalletPayment,
  { onStep, admit, signal }: Steps,
): Promise<WalletOutcome> {
  const read = readWallet(provider, signal)
  onStep('connecting')
  const payer = firstAccount(await provider.request({ method: 'eth_requestAccounts' }))
  if (!payer) return failed('wallet_unauthorized')
  if (signal.aborted) return { outcome: 'abandoned' }

  const misplaced = await switchChain(provider, read, network, () => onStep('switching'))
  if (signal.aborted) return { outcome: 'abandoned' }
  if (misplaced) return { outcome: 'failed', problem: misplaced }

  onStep('checking')
  const chainId = `0x${network.chainId.toString(16)}`
  const data = encodeTransfer({ to, amount, reference })
  const smart = await takesCalls(readWallet(provider, signal, capabilitiesMs), payer, chainId)
  const gas = smart ? 'wallet' : 'payer'
  const misfit = await checkPayer(read, { payer, token, amount, data, gas })
  if (signal.aborted) return { outcome: 'abandoned' }
  const obstacle = misfit ?? (await admit(payer))
  if (obstacle) return { outcome: 'failed', problem: obstacle }
  if (signal.aborted) return { outcome: 'abandoned' }

  onStep('confirming')
  if (smart) {
    const batch = { payer, chainId, to: token, data, reference, amount }
    const sent = await sendCalls(provider, read, batch)
    if (sent.outcome !== 'unsupported') {
      const { outcome, batchId } = sent
      return { outcome, sending: { payer, batchId, txHash: null } }
    }
  }
  const transaction = { from: payer, to: token, data, value: '0x0', chainId }
  const sending = { payer, batchId: null, txHash: null }
  try {
    const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
    return { outcome: 'sent', sending: { ...sending, txHash: isHash(hash) ? hash : null } }
  } catch (error) {
    const code = walletError(error)
    // The wallet had already sent it: the payment is on its way.
    if (code === 'duplicate_submission') return { outcome: 'duplicate', sending }
    if (signal.aborted || !/error|disconnected/.test(code)) throw error
    return { outcome: 'failed', problem: { code, unsure: true } }
  }
}

/** What a wallet is to do about an intent. */
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
    amount: amountDue(intent),
    reference: intent.payment_reference,
  }
}

function firstAccount(accounts: unknown): string | null {
  const [first] = Array.isArray(accounts) ? accounts : []
  return typeof first === 'string' && /^0x[0-9a-f]{40}$/i.test(first) ? first : null
}

function failed(code: Problem['code']): WalletOutcome {
  return { outcome: 'failed', problem: { code } }
}
