import { usdcDecimals } from '@payment-intents/contract/usdc'
import { rejected } from './errors/paymentIntentsError.ts'

/**
 * Converts a decimal amount of USDC to `amount_units` exactly, without floating point.
 *
 * @param amount digits with an optional fraction, such as `'25'` or `'25.00'`; decimals after the sixth must be zero
 * @returns units of 0.000001 USDC, at most 2^53 − 1
 * @throws PaymentIntentsError `invalid_body` if the text is not such an amount
 * @example
 * ```ts
 * import { toUnits } from '@payment-intents/node'
 *
 * toUnits('25.00') // 25000000
 * ```
 */
export function toUnits(amount: string): number {
  if (typeof amount !== 'string') {
    throw refused(`expects a string like '25.00', not a ${typeof amount}, which may be rounded`)
  }
  const [, integer, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (integer === undefined) {
    throw refused(
      `expects digits with an optional fraction, like '25' or '25.00', not ${JSON.stringify(amount)}`,
    )
  }
  if (/[1-9]/.test(fraction.slice(usdcDecimals))) {
    throw refused(`cannot express ${amount}: USDC has ${usdcDecimals} decimals`)
  }
  const units = BigInt(integer + fraction.slice(0, usdcDecimals).padEnd(usdcDecimals, '0'))
  if (units > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw refused(`takes at most ${maxAmount}, not ${amount}`)
  }
  return Number(units)
}

// Divided as text, since a JavaScript number cannot hold the quotient exactly.
const maxAmount = `${Number.MAX_SAFE_INTEGER}`.replace(/\d{6}$/, '.$&')

function refused(problem: string) {
  return rejected('invalid_body', `toUnits ${problem}.`, [{ path: 'amount', message: problem }])
}
