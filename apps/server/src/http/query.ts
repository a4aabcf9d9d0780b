import { invalidBody, parse, queryValue } from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'

/** Names and values of a query, decoded, in their order. */
export type Query = Map<string, string>

/**
 * Reads a query strictly: no parameter twice, nothing that is not percent-encoded UTF-8.
 *
 * @throws {HttpError} `invalid_body`
 */
export function readQuery(request: FastifyRequest): Query {
  const { url = '' } = request.raw
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
export function takeNested(query: Query, name: string): [key: string, value: string][] {
  const taken: [string, string][] = []
  for (const [full, value] of query) {
    if (!full.startsWith(`${name}[`) || !full.endsWith(']')) continue
    taken.push([full.slice(name.length + 1, -1), value])
    query.delete(full)
  }
  return taken
}

/**
 * A query that fits the schema of its parameters.
 *
 * @throws {HttpError} `invalid_body`
 */
export function parseQuery<Schema extends z.ZodObject>(
  schema: Schema,
  request: FastifyRequest,
): z.output<Schema> {
  const query = readQuery(request)
  const metadata = 'metadata' in schema.shape ? takeNested(query, 'metadata') : []
  const nested = metadata.length > 0 ? { metadata: Object.fromEntries(metadata) } : {}
  const flat = [...query].map(([name, text]) => [name, queryValue(name, text)])
  return parse(schema, { ...nested, ...Object.fromEntries(flat) })
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidBody([{ path: text, message: 'is not percent-encoded UTF-8' }])
  }
}
