/** Whether a value is hexadecimal with this number of digits, `0x` first. */
export function isHex(value: unknown, digits: number): value is string {
  return typeof value === 'string' && value.length === digits + 2 && /^0x[0-9a-f]+$/i.test(value)
}
