/** An exact amount with at least two decimals, as the checkout writes it. */
export function amountOf(units: bigint, tag: string): string {
  const shown = { minimumFractionDigits: 2, maximumFractionDigits: 6 }
  return new Intl.NumberFormat(tag, shown).format(decimalOf(units))
}

export function decimalOf(units: bigint): Intl.StringNumericLiteral {
  const digits = units.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}` as Intl.StringNumericLiteral
}

/** Removes explicit directional formatting (UAX #9), which would reorder the text around it. */
export function plain(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
}

const entities: Record<string, string> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
