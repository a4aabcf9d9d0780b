import { z } from 'zod'
import { type ErrorCode, errorTable } from './errors.ts'

/** Where a schema of the document stands in it. */
export function reference(schema: string): string {
  return `#/components/schemas/${schema}`
}

function content(schema: string) {
  return { 'application/json': { schema: { $ref: reference(schema) } } }
}

export function body(schema: string) {
  return { required: true, content: content(schema) }
}

/** One that may be left out: then it is `{}`. */
export function optionalBody(schema: string) {
  return { required: false, content: content(schema) }
}

export function answer(description: string, schema: string, headers: Record<string, unknown> = {}) {
  return {
    description,
    headers: { 'X-Request-Id': requestId, ...headers },
    content: content(schema),
  }
}

const requestId = {
  description: "The request's own id, or the one that the caller sent.",
  schema: { type: 'string' },
}

export const retryAfter = {
  description: 'Seconds to wait before the same request is sent again.',
  schema: { type: 'integer', minimum: 1 },
}

/** @param headers those that come with an error, beside `Retry-After` where every one of its kind has it */
export function errors(
  codes: readonly ErrorCode[],
  headers: { readonly [code in ErrorCode]?: Record<string, unknown> } = {},
): Record<number, unknown> {
  const statuses = new Set(codes.map((code) => errorTable[code].status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const its = codes.filter((code) => errorTable[code].status === status)
      const lines = its.map((code) => `\`${code}\`: ${errorTable[code].hint}`)
      const more = Object.assign({}, ...its.map((code) => ({ ...waits[code], ...headers[code] })))
      return [status, answer(lines.join('\n\n'), 'Error', more)]
    }),
  )
}

const waits: { readonly [code in ErrorCode]?: Record<string, unknown> } = {
  rate_limited: { 'Retry-After': retryAfter },
  internal_error: { 'Retry-After': retryAfter },
}

/** What every operation but creation answers while the server cannot: `internal_error`, which passes. */
export const unavailable = {
  503: answer(`\`internal_error\`: ${errorTable.internal_error.hint}`, 'Error', {
    'Retry-After': retryAfter,
  }),
}

/** The parameters of a query whose names and values a strict object schema describes. */
export function queryParameters(schema: z.ZodObject): Record<string, unknown>[] {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties).map(([name, property]) => {
    if (typeof property === 'boolean') throw new Error(`${name} has no schema`)
    const { description, ...rest } = property
    // `metadata[key]=value`
    const nested = rest.type === 'object' ? { style: 'deepObject', explode: true } : {}
    return { name, in: 'query', description, ...nested, schema: rest }
  })
}
