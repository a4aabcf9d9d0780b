import type { FastifyRequest } from 'fastify'

/** @param name in lower case */
export function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}
