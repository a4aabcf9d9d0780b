import type { Problem } from './problem.ts'
import type { ReadWallet } from './readWallet.ts'
import { selectors, word } from './transfer.ts'
import { isRevert, walletError } from './walletError.ts'

type Check = {
  payer: string
  recipient: string
  token: string
  amount: bigint
  /** Calldata of the transfer. */
  data: string
  /** Code of the payer's account; `null` if the wallet does not return it. */
  code: unknown
  /** Who pays the network fee: a smart wallet may have it sponsored or pay in another token. */
  gas: 'payer' | 'wallet'
}

/**
 * Finds what would make the transfer fail, before the payer signs it. Reads go through the wallet's provider,
 * so that no other host is contacted.
 */
export async function checkPayment(
  read: ReadWallet,
  { payer, recipient, token, amount, data, code, gas }: Check,
): Promise<Problem | null> {
  const call = (calldata: string) =>
    read('eth_call', { to: token, data: calldata }, 'latest').then(toUnits)
  const transfer = { from: payer, to: token, data }

  try {
    const [balance, paused, payerBlocked, recipientBlocked, reverts] = await Promise.all([
      call(selectors.balanceOf + word(payer)),
      call(selectors.paused),
      call(selectors.isBlacklisted + word(payer)),
      call(selectors.isBlacklisted + word(recipient)),
      simulate(read, transfer),
    ])
    // The token's address does not answer: the wallet is on another network, whatever it reports.
    if (balance === null) return { code: 'wrong_chain' }
    if (paused) return { code: 'token_paused' }
    if (recipientBlocked) return { code: 'address_blocked', recipient: true }
    if (payerBlocked) return { code: 'address_blocked' }
    if (balance < amount) return { code: 'insufficient_token', shortUnits: amount - balance }
    if (reverts) return { code: 'tx_reverted', foreseen: true }
  } catch (error) {
    const code = walletError(error)
    // A wallet that cannot read runs its own simulation.
    return code === 'method_unsupported' ? null : { code: 'network_error' }
  }
  if (gas === 'wallet' || code !== '0x') return null
  return (await lacksGas(read, transfer)) ? { code: 'insufficient_gas' } : null
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

/** True only if certain. For accounts without code: others may have their gas sponsored. */
async function lacksGas(read: ReadWallet, transaction: Transaction): Promise<boolean> {
  try {
    const [balance, gas, price] = await Promise.all([
      read('eth_getBalance', transaction.from, 'latest').then(toUnits),
      read('eth_estimateGas', transaction).then(toUnits),
      read('eth_gasPrice').then(toUnits),
    ])
    if (balance === null || gas === null || price === null) return false
    return balance < gas * price
  } catch (error) {
    return walletError(error) === 'insufficient_gas'
  }
}

function toUnits(answer: unknown): bigint | null {
  return typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer) ? BigInt(answer) : null
}
