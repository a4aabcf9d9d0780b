/** Collects the values of a composed statement. `value` adds a value and returns `$1`, `$2` … */
export function valuesOf(): { values: unknown[]; value: (entry: unknown) => string } {
  const values: unknown[] = []
  return { values, value: (entry) => `$${values.push(entry)}` }
}

/** A replacer for `JSON.stringify` that writes a bigint as text, which PostgreSQL reads as a number. */
export function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
