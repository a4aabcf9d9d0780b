import type { Endpoint } from '@payment-intents/contract'
import { invalidBody } from './httpError.ts'
import { parse, queryValue } from './readRequest.ts'

/** Names and values of a query, decoded, in order. */
type Query = Map<string, string>

/** A query that fits its schema, and its `metadata[key]=value` parameters as sent. */
export type ParsedQuery = {
  readonly query: unknown
  readonly metadataFilter: readonly (readonly [key: string, value: string])[]
}

/**
 * Parses the query of a URL strictly: no repeated parameter, only percent-encoded UTF-8.
 * @param url path and query
 * @throws {HttpError} `invalid_body`
 */
export function parseQuery(schema: NonNullable<Endpoint['query']>, url: string): ParsedQuery {
  const query = readQuery(url)
  const metadataFilter = 'metadata' in schema.shape ? takeNested(query, 'metadata') : []
  const nested = metadataFilter.length > 0 ? { metadata: Object.fromEntries(metadataFilter) } : {}
  const flat = [...query].map(([name, text]) => [name, queryValue(name, text)])
  return { query: parse(schema, { ...nested, ...Object.fromEntries(flat) }), metadataFilter }
}

function readQuery(url: string): Query {
  const query: Query = new Map()
  const start = url.indexOf('?')
  for (const part of start < 0 ? [] : url.slice(start + 1).split('&')) {
    if (part === '') continue
    const equals = part.includes('=') ? part.indexOf('=') : part.length
    const name = decode(part.slice(0, equals))
    if (query.has(name)) throw invalidBody([{ path: name, message: 'appears twice' }])
    query.set(name, decode(part.slice(equals + 1)))
  }
  return query
}

/** Removes the `<name>[<key>]` parameters of a query, and returns their keys and values. */
function takeNested(query: Query, name: string): [key: string, value: string][] {
  const pairs: [string, string][] = []
  for (const [full, value] of query) {
    if (!full.startsWith(`${name}[`) || !full.endsWith(']')) continue
    pairs.push([full.slice(name.length + 1, -1), value])
    query.delete(full)
  }
  return pairs
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidBody([{ path: text, message: 'is not percent-encoded UTF-8' }])
  }
}
