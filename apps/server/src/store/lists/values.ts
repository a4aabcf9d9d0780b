/** The values of a composed statement; `value` adds a value and returns `$1`, `$2` … */
export function valuesOf(): { values: unknown[]; value: (entry: unknown) => string } {
  const values: unknown[] = []
  return { values, value: (entry) => `$${values.push(entry)}` }
}

/** Makes `JSON.stringify` write integers of any size, as PostgreSQL reads them. */
export function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
