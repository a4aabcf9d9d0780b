/** The values of a statement that is put together, each of which is written as what `value` returns: `$1`, `$2` … */
export function valuesOf(): { values: unknown[]; value: (given: unknown) => string } {
  const values: unknown[] = []
  return { values, value: (given) => `$${values.push(given)}` }
}
