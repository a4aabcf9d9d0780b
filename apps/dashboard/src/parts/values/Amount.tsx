/** Decimals that are shown even if they are zeros. */
const leastDigits = 2

type Token = { readonly decimals: number; readonly token_symbol: string }
const usdc: Token = { decimals: 6, token_symbol: 'USDC' }

/** Formats units as a decimal amount, exact to the unit: 24000000 is 24.00. */
export function formatUnits(units: number, decimals = usdc.decimals): string {
  const sign = units < 0 ? '−' : ''
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0')
  const integer = digits.slice(0, -decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  const rest = digits.slice(-decimals).replace(/0+$/, '').padEnd(leastDigits, '0')
  return `${sign}${integer}.${rest}`
}

/**
 * Parses a typed amount; a comma is a point, and thousands are not separated.
 *
 * @returns null if the text is not an amount of the token
 */
export function parseUnits(text: string, decimals = usdc.decimals): number | null {
  const [, integer, rest = ''] = /^(\d{1,10})(?:[.,](\d*))?$/.exec(text.trim()) ?? []
  if (integer === undefined || rest.length > decimals) return null
  const units = Number(integer + rest.padEnd(decimals, '0'))
  return Number.isSafeInteger(units) ? units : null
}

export function Amount({ units, token = usdc }: { units: number; token?: Token }) {
  return (
    <span className="amount">
      {formatUnits(units, token.decimals)} {token.token_symbol}
    </span>
  )
}
