import type { EIP1193Provider } from '../options.ts'
import { checkPayer } from './checkPayer.ts'
import type { Problem } from './problem.ts'
import { type Network, switchChain } from './switchChain.ts'
import { encodeTransfer } from './transfer.ts'
import { walletError } from './walletError.ts'

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
  | { outcome: 'sent'; txHash: string | null }
  | { outcome: 'failed'; problem: Problem }
  | { outcome: 'abandoned' }

type Steps = {
  onStep: (step: WalletStep) => void
  /** Tells the service who is about to pay; called before the wallet is asked to sign. */
  announce: (payer: string) => Promise<Problem | null>
  /** Once aborted, the wallet is asked nothing more. */
  signal: AbortSignal
}

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
  try {
    return await pay(provider, payment, steps)
  } catch (error) {
    const code = walletError(error)
    // The wallet had already sent it: the payment is on its way.
    return code === 'duplicate_submission' ? { outcome: 'sent', txHash: null } : failed(code)
  }
}

async function pay(
  provider: EIP1193Provider,
  { network, token, to, amount, reference }: WalletPayment,
  { onStep, announce, signal }: Steps,
): Promise<WalletOutcome> {
  onStep('connecting')
  const payer = firstAccount(await provider.request({ method: 'eth_requestAccounts' }))
  if (!payer) return failed('wallet_unauthorized')
  if (signal.aborted) return { outcome: 'abandoned' }

  onStep('switching')
  const misplaced = await switchChain(provider, network)
  if (misplaced) return { outcome: 'failed', problem: misplaced }
  if (signal.aborted) return { outcome: 'abandoned' }

  onStep('checking')
  const data = encodeTransfer({ to, amount, reference })
  const obstacle =
    (await checkPayer(provider, { payer, token, amount, data })) ?? (await announce(payer))
  if (obstacle) return { outcome: 'failed', problem: obstacle }
  if (signal.aborted) return { outcome: 'abandoned' }

  onStep('confirming')
  const chainId = `0x${network.chainId.toString(16)}`
  const transaction = { from: payer, to: token, data, value: '0x0', chainId }
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] })
  const known = typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash)
  return { outcome: 'sent', txHash: known ? hash : null }
}

function firstAccount(accounts: unknown): string | null {
  const [first] = Array.isArray(accounts) ? accounts : []
  return typeof first === 'string' && /^0x[0-9a-f]{40}$/i.test(first) ? first : null
}

function failed(code: Problem['code']): WalletOutcome {
  return { outcome: 'failed', problem: { code } }
}
