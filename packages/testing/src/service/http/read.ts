import { limits } from '@payment-intents/contract'
import { invalidBody } from '@payment-intents/rules'

/**
 * Parses the JSON object in a body.
 *
 * @param isOptional an empty body counts as `{}`
 * @throws {HttpError} `invalid_body`
 */
export function readBody(
  body: { readonly bytes: Uint8Array; readonly type: string | null },
  isOptional = false,
): Record<string, unknown> {
  const fault = (message: string) => invalidBody([{ path: '', message }])
  const { bytes, type } = body
  if (bytes.length === 0) {
    if (isOptional) return {}
    throw fault('the body must be a JSON object, and is empty')
  }
  if (!/^application\/json *(;|$)/i.test(type ?? '')) {
    throw fault('the content type must be application/json')
  }
  if (bytes.length > limits.requestBytes) throw fault('the request body is larger than 64 KiB')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw fault('the body is not UTF-8')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw fault(`the body is not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fault('the body must be a JSON object')
  }
  return value as Record<string, unknown>
}

const integer = (text: string) => (/^\d{1,16}$/.test(text) ? Number(text) : text)
const readers: Record<string, (text: string) => unknown> = {
  limit: integer,
  amount_units: integer,
  matched: (text) => (/^(true|false)$/.test(text) ? text === 'true' : text),
}

/**
 * Parses query parameters for their schema, with `metadata[…]` as an object.
 *
 * @throws {HttpError} `invalid_body` if one appears twice
 */
export function readQuery(search: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  const metadata: [string, string][] = []
  const seen = new Set<string>()
  for (const [name, text] of search) {
    if (seen.has(name)) throw invalidBody([{ path: name, message: 'appears twice' }])
    seen.add(name)
    const [, key] = /^metadata\[(.*)\]$/s.exec(name) ?? []
    if (key !== undefined) metadata.push([key, text])
    else query[name] = readers[name]?.(text) ?? text
  }
  if (metadata.length > 0) query.metadata = Object.fromEntries(metadata)
  return query
}

/** Nesting depth of objects and arrays; 0 for a scalar. */
export function depthOf(value: unknown): number {
  let level = [value]
  for (let depth = 0; ; depth += 1) {
    level = level.filter((item) => typeof item === 'object' && item !== null)
    if (level.length === 0) return depth
    level = level.flatMap((item) => Object.values(item as object))
  }
}
