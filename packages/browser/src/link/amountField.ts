/** Why an amount that the payer typed is invalid. */
export type AmountFault = 'empty' | 'malformed' | 'decimals' | 'low' | 'high'

type Limits = {
  readonly decimals: number
  readonly min_units: number | null
  readonly max_units: number | null
}

/**
 * Parses an amount in the payer's digits, with the decimal separator of the locale or a point. Rejects thousands separators: in another
 * locale they are decimal separators.
 *
 * @returns the token's smallest units
 */
export function readAmount(typed: string, tag: string, limits: Limits): bigint | AmountFault {
  const text = toLatin(typed, tag)
  if (text === '') return 'empty'
  const [, integer = '', fraction = ''] = /^(\d*)(?:\.(\d*))?$/.exec(text) ?? []
  if (integer + fraction === '' || integer.length > 12) return 'malformed'
  const { decimals } = limits
  if (fraction.length > decimals) return 'decimals'
  const units = BigInt(integer + fraction.padEnd(decimals, '0'))
  if (units < BigInt(limits.min_units ?? 1)) return 'low'
  const maxUnits = limits.max_units ?? Number.MAX_SAFE_INTEGER
  return units > BigInt(maxUnits) ? 'high' : units
}

/** Digits of any script, and the locale's decimal separator, as in code. */
function toLatin(typed: string, tag: string): string {
  const separator = new Intl.NumberFormat(tag)
    .formatToParts(1.5)
    .find(({ type }) => type === 'decimal')?.value
  return [...typed.normalize('NFKC')]
    .filter((character) => !/[\s\u2066-\u2069\u200e\u200f]/.test(character))
    .map((character) => {
      if (character === separator || character === '\u066b') return '.'
      return /\p{Nd}/u.test(character) ? String(digitOf(character)) : character
    })
    .join('')
}

/** Decimal digits of a script are ten in a row (Unicode, 4.6). */
function digitOf(character: string): number {
  const code = character.codePointAt(0) ?? 0
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return code - zero
}
