import type { Intent } from './parseIntent.ts'

/** What the payer is asked for now, in the token's smallest units; every rail asks the same. */
export function amountDue(intent: Intent): bigint {
  const payable = BigInt(intent.manual?.payable_amount_units ?? intent.amount_units)
  return isUnderpaid(intent) ? payable - BigInt(intent.amount_received_units) : payable
}

/** Whether a part has arrived and the rest can still be paid. */
export function isUnderpaid(intent: Intent): boolean {
  return intent.status === 'requires_payment' && intent.exceptions.includes('underpaid')
}

/** The exact decimal, such as `12.3401`: what a payer pastes into a wallet. */
export function toDecimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction ? `${whole}.${fraction}` : whole
}

/**
 * The amount as the locale writes it, to the last unit, with no fewer than two decimals. Formatted from
 * the decimal text, which `Intl` takes as it is: no part of it passes through a floating-point number.
 */
export function formatAmount(units: bigint, decimals: number, locale: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: Math.max(2, decimals) }
  const exact = toDecimal(units, decimals) as Intl.StringNumericLiteral
  return new Intl.NumberFormat(locale, digits).format(exact)
}

/** How much more has arrived than every rail asks for. */
export function overpaidBy(intent: Intent): bigint {
  const asked = BigInt(intent.manual?.payable_amount_units ?? intent.amount_units)
  const over = BigInt(intent.amount_received_units) - asked
  return over > 0n ? over : 0n
}
