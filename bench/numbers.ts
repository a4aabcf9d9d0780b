/** The value below which that part of the sorted values lies. */
export function at(sorted: readonly number[], quantile: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return at(values.toSorted(ascending), 0.5)
}

export function ascending(a: number, b: number): number {
  return a - b
}

/** A row of a table. */
export function rounded(values: Record<string, number>, digits = 2): Record<string, number> {
  const entries = Object.entries(values)
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value.toFixed(digits))]))
}
