import type { Problem } from './problem.ts'
import type { ReadWallet } from './readWallet.ts'
import { selectors, word } from './transfer.ts'
import { walletError } from './walletError.ts'

type Check = {
  payer: string
  token: string
  amount: bigint
  /** Calldata of the transfer that is about to be asked for. */
  data: string
  /** Who pays the network fee: a smart wallet may have it paid, or paid in another token. */
  gas: 'payer' | 'wallet'
}

/**
 * Finds what would make the transfer fail, before the payer is asked to sign it: all reads go through
 * the wallet's own provider, so that no other host is contacted.
 */
export async function checkPayer(
  read: ReadWallet,
  { payer, token, amount, data, gas }: Check,
): Promise<Problem | null> {
  const call = (calldata: string) =>
    read('eth_call', { to: token, data: calldata }, 'latest').then(toUnits)

  try {
    const [balance, paused, blocked] = await Promise.all([
      call(selectors.balanceOf + word(payer)),
      call(selectors.paused),
      call(selectors.isBlacklisted + word(payer)),
    ])
    // No answer from the token's address: whatever the wallet says, it is not on this network.
    if (balance === null) return { code: 'wrong_chain' }
    if (paused) return { code: 'token_paused' }
    if (blocked) return { code: 'address_blocked' }
    if (balance < amount) return { code: 'insufficient_token', shortUnits: amount - balance }
  } catch (error) {
    const code = walletError(error)
    // A wallet that cannot read leaves the checks to its own simulation.
    return code === 'method_unsupported' ? null : { code: 'network_error' }
  }
  if (gas === 'wallet') return null
  const poor = await lacksGas(read, { from: payer, to: token, data })
  return poor ? { code: 'insufficient_gas' } : null
}

type Transaction = { from: string; to: string; data: string }

/** Only says yes when sure: an account with code may have its gas paid by someone else. */
async function lacksGas(read: ReadWallet, transaction: Transaction): Promise<boolean> {
  try {
    const [code, balance, gas, price] = await Promise.all([
      read('eth_getCode', transaction.from, 'latest'),
      read('eth_getBalance', transaction.from, 'latest').then(toUnits),
      read('eth_estimateGas', transaction).then(toUnits),
      read('eth_gasPrice').then(toUnits),
    ])
    if (code !== '0x' || balance === null || gas === null || price === null) return false
    return balance < gas * price
  } catch (error) {
    return walletError(error) === 'insufficient_gas'
  }
}

function toUnits(answer: unknown): bigint | null {
  return typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer) ? BigInt(answer) : null
}
