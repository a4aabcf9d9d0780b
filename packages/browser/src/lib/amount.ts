import type { Intent } from '../service/parseIntent.ts'

/**
 * The price still due, in the token's smallest units. Accounts without code pay it: the reference identifies
 * their payment.
 */
export function priceDue(intent: Intent): bigint {
  return due(intent, BigInt(intent.price_units))
}

/** The amount still due if only the amount may identify the payment. */
export function payableDue(intent: Intent): bigint {
  return due(intent, BigInt(intent.amount_units))
}

/** The amount still due by hand; `null` when a payment by hand could not be identified. */
export function manualDue(intent: Intent): bigint | null {
  return intent.manual && BigInt(intent.manual.payable_amount_units)
}

/** Whether a part has arrived and the rest can still be paid. */
export function isUnderpaid(intent: Intent): boolean {
  return intent.status === 'requires_payment' && intent.exceptions.includes('underpaid')
}

/** Units received beyond the payable amount. */
export function overpaidBy(intent: Intent): bigint {
  const over = BigInt(intent.amount_received_units) - BigInt(intent.amount_units)
  return over > 0n ? over : 0n
}

/** The exact decimal, such as `12.3401`, for a payer to paste into a wallet. */
export function toDecimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0')
  const integer = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction ? `${integer}.${fraction}` : integer
}

/**
 * Formats an amount for a locale, exactly and with at least two decimals. `Intl` takes the decimal as text, so
 * no floating-point number is involved.
 */
export function formatAmount(units: bigint, decimals: number, locale: string): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: Math.max(2, decimals) }
  const exact = toDecimal(units, decimals) as Intl.StringNumericLiteral
  return new Intl.NumberFormat(locale, digits).format(exact)
}

function due(intent: Intent, total: bigint): bigint {
  return isUnderpaid(intent) ? total - BigInt(intent.amount_received_units) : total
}
