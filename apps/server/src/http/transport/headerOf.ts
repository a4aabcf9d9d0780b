import type { FastifyRequest } from 'fastify'

/** A header by its lower-case name; null if the request has none. */
export function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}
