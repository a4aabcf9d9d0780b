import type { EIP1193Provider } from '../options.ts'
import type { Problem } from './problem.ts'
import { selectors, word } from './transfer.ts'
import { walletError } from './walletError.ts'

type Check = {
  payer: string
  token: string
  amount: bigint
  /** Calldata of the transfer that is about to be asked for. */
  data: string
}

/**
 * Finds what would make the transfer fail, before the payer is asked to sign it: all reads go through
 * the wallet's own provider, so that no other host is contacted.
 */
export async function checkPayer(
  provider: EIP1193Provider,
  { payer, token, amount, data }: Check,
): Promise<Problem | null> {
  const call = (calldata: string) =>
    provider.request({ method: 'eth_call', params: [{ to: token, data: calldata }, 'latest'] })

  try {
    const [balance, paused, blocked] = await Promise.all([
      call(selectors.balanceOf + word(payer)).then(toUnits),
      call(selectors.paused).then(toUnits),
      call(selectors.isBlacklisted + word(payer)).then(toUnits),
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
  return (await lacksGas(provider, { from: payer, to: token, data }))
    ? { code: 'insufficient_gas' }
    : null
}

type Transaction = { from: string; to: string; data: string }

/** Only says yes when sure: an account with code may have its gas paid by someone else. */
async function lacksGas(provider: EIP1193Provider, transaction: Transaction): Promise<boolean> {
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  try {
    const [code, balance, gas, price] = await Promise.all([
      ask('eth_getCode', transaction.from, 'latest'),
      ask('eth_getBalance', transaction.from, 'latest').then(toUnits),
      ask('eth_estimateGas', transaction).then(toUnits),
      ask('eth_gasPrice').then(toUnits),
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
