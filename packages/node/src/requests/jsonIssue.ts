import type { Issue } from '../errors/paymentIntentsError.ts'

/**
 * Finds the first value that JSON cannot represent: `JSON.stringify` silently drops functions, `undefined` and the
 * entries of a Map, and they would be missing from the order.
 *
 * @param path of the value, such as `metadata.customer`
 * @param parents the objects that contain it
 */
export function jsonIssue(
  value: unknown,
  path: string,
  parents: readonly object[] = [],
): Issue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : notJson(path, String(value))
  }
  if (typeof value !== 'object') return notJson(path, value === undefined ? value : typeof value)
  if (parents.includes(value)) {
    return {
      path,
      message: 'is a cycle, which JSON cannot hold: it leads back to an object around it',
    }
  }
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') {
    const text: unknown = toJSON.call(value)
    return text === value ? undefined : jsonIssue(text, path, [...parents, value])
  }
  const entries = Object.entries(value)
  const name = nameOf(value)
  if (entries.length === 0 && name !== undefined) return notJson(path, name)
  // `Object.entries` skips the holes of an array.
  if (Array.isArray(value) && entries.length < value.length) return notJson(path, 'sparse array')
  for (const [key, item] of entries) {
    const issue = jsonIssue(item, `${path}.${key}`, [...parents, value])
    if (issue) return issue
  }
  return undefined
}

function notJson(path: string, subject: string | undefined): Issue {
  const noun =
    subject === undefined || subject === 'NaN' || subject.endsWith('Infinity')
      ? subject
      : `a ${subject}`
  return { path, message: `is ${noun}, which JSON cannot hold` }
}

/** The class of an object; undefined for an array and a plain object, also of another realm. */
function nameOf(value: object): string | undefined {
  if (Array.isArray(value)) return undefined
  const prototype = Object.getPrototypeOf(value)
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
  return isPlain ? undefined : prototype.constructor?.name || 'value of a class'
}
