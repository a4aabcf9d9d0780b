import type { Intent } from './parseIntent.ts'

/**
 * What the shop still asks for, in the token's smallest units. Enough where the reference tells the
 * payment apart: from an account without code.
 */
export function priceDue(intent: Intent): bigint {
  return due(intent, BigInt(intent.price_units))
}

/** What is still to be sent where the amount alone may have to tell the payment apart. */
export function payableDue(intent: Intent): bigint {
  return due(intent, payable(intent))
}

/** What is still to be sent by hand; `null` when nothing sent by hand could be told apart. */
export function manualDue(intent: Intent): bigint | null {
  if (!intent.manual) return null
  const asked = BigInt(intent.manual.payable_amount_units)
  // An older service goes on naming the whole, which is not what is due.
  return isUnderpaid(intent) && asked >= payable(intent) ? null : asked
}

/** Whether a part has arrived and the rest can still be paid. */
export function isUnderpaid(intent: Intent): boolean {
  return intent.status === 'requires_payment' && intent.exceptions.includes('underpaid')
}

/** How much more has arrived than any rail asks for. */
export function overpaidBy(intent: Intent): bigint {
  const over = BigInt(intent.amount_received_units) - payable(intent)
  return over > 0n ? over : 0n
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

function due(intent: Intent, whole: bigint): bigint {
  return isUnderpaid(intent) ? whole - BigInt(intent.amount_received_units) : whole
}

/** An older service answers the price as `amount_units`. */
function payable({ amount_units, manual }: Intent): bigint {
  return BigInt(Math.max(amount_units, manual?.payable_amount_units ?? 0))
}
