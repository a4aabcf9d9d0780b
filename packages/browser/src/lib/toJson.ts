/**
 * JSON that the page cannot change: `JSON.stringify` calls `toJSON` of any prototype, which old libraries define for arrays. A bigint
 * becomes a decimal string; properties without a value are omitted.
 */
export function toJson(value: unknown): string {
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const parts: string[] = []
  if (Array.isArray(value)) {
    for (const item of value) parts.push(toJson(item))
    return `[${parts}]`
  }
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${toJson(item)}`)
  }
  return `{${parts}}`
}
