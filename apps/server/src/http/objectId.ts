import { limits } from '@payment-intents/contract'
import { notFound } from '@payment-intents/rules'
import type { FastifyRequest } from 'fastify'
import { nothingAt } from './notFound.ts'

/** Parameters of a route that names one object. */
export type ObjectRoute = { Params: { id: string } }

/**
 * The id in a path.
 *
 * @throws {HttpError} `not_found` when no object can have it; PostgreSQL would not even take some
 */
export function objectId(
  request: FastifyRequest<ObjectRoute>,
  noun: Parameters<typeof notFound>[0],
): string {
  const { id } = request.params
  if (id === '') throw nothingAt(request, 'or_less')
  if (id.length > limits.idLength || !/^\w+$/.test(id)) throw notFound(noun)
  return id
}
