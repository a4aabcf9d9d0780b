/**
 * Formats an amount of USDC with two decimals, or more if they are not zero.
 *
 * @param units smallest units; 1 USDC is 1,000,000
 * @example
 * ```ts
 * formatUsdc(9_500_000n) // '9.50 USDC'
 * ```
 */
export function formatUsdc(units: bigint | number): string {
  const [complete = '', fraction] = decimalUsdc(units).split('.')
  return `${complete.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction} USDC`
}

/** The same as a number to type, such as `1000.50`. */
export function decimalUsdc(units: bigint | number): string {
  const digits = BigInt(units).toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6).replace(/0+$/, '').padEnd(2, '0')}`
}
