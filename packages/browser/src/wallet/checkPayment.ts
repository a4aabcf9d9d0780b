import { selectors, word } from './encodeTransfer.ts'
import type { Problem } from './problem.ts'
import type { ReadWallet } from './provider/readWallet.ts'
import { isRevert, walletError } from './provider/walletError.ts'

type Check = {
  payer: string
  recipient: string
  token: string
  amount: bigint
  /** Calldata of the transfer; a payment without gas moves the same. */
  data: string
  /** The authorization to sign; `null` for a transfer. */
  nonce: string | null
  /** Code of the payer's account; `null` if the wallet does not return it. */
  code: unknown
  /** `wallet`: a smart wallet may have the network fee sponsored or pay it in another token. */
  gas: 'payer' | 'wallet'
}

type Checked = { problem: Problem | null; fee: bigint | null }

/**
 * Finds the reasons why the payment would fail, before the payer signs it. Reads go through the wallet's provider, so that no other host is
 * contacted.
 */
export async function checkPayment(
  read: ReadWallet,
  { payer, recipient, token, amount, data, nonce, code, gas }: Check,
): Promise<Checked> {
  const call = (calldata: string) =>
    read('eth_call', { to: token, data: calldata }, 'latest').then(toUnits)
  const transfer = { from: payer, to: token, data }

  try {
    const [balance, paused, payerBlocked, recipientBlocked, isUsed, reverts] = await Promise.all([
      call(selectors.balanceOf + word(payer)),
      call(selectors.paused),
      call(selectors.isBlacklisted + word(payer)),
      call(selectors.isBlacklisted + word(recipient)),
      nonce && call(selectors.authorizationState + word(payer) + word(nonce)),
      simulate(read, transfer),
    ])
    // The token's address does not respond: the wallet is on another network, regardless of its report.
    if (balance === null) return failed({ code: 'wrong_chain' })
    if (paused) return failed({ code: 'token_paused' })
    if (recipientBlocked) return failed({ code: 'address_blocked', recipient: true })
    if (payerBlocked) return failed({ code: 'address_blocked' })
    // This account has paid this payment, or has canceled it for good.
    if (isUsed) return failed({ code: 'duplicate_submission' })
    if (balance < amount) {
      return failed({ code: 'insufficient_token', shortUnits: amount - balance })
    }
    if (reverts) return failed({ code: 'tx_reverted', foreseen: true })
  } catch (error) {
    const code = walletError(error)
    // A wallet that cannot read runs its own simulation.
    return code === 'method_unsupported' ? fine : failed({ code: 'network_error' })
  }
  if (gas === 'wallet' || code !== '0x') return fine
  return estimateGas(read, transfer)
}

const fine: Checked = { problem: null, fee: null }

function failed(problem: Problem): Checked {
  return { problem, fee: null }
}

type Transaction = { from: string; to: string; data: string }

/** Whether the exact transfer would revert; true only if the chain reports a revert. */
async function simulate(read: ReadWallet, transaction: Transaction): Promise<boolean> {
  try {
    await read('eth_call', transaction, 'latest')
    return false
  } catch (error) {
    return isRevert(error)
  }
}

/** A problem only if certain. For accounts without code: others may have their gas sponsored. */
async function estimateGas(read: ReadWallet, transaction: Transaction): Promise<Checked> {
  try {
    const [balance, gas, price] = await Promise.all([
      read('eth_getBalance', transaction.from, 'latest').then(toUnits),
      read('eth_estimateGas', transaction).then(toUnits),
      read('eth_gasPrice').then(toUnits),
    ])
    if (balance === null || gas === null || price === null) return fine
    const fee = gas * price
    return balance < fee ? failed({ code: 'insufficient_gas' }) : { problem: null, fee }
  } catch (error) {
    const code = walletError(error)
    return code === 'insufficient_gas' ? failed({ code }) : fine
  }
}

function toUnits(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : null
}
