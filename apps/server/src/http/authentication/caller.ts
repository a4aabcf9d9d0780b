import { type Endpoint, type Role, roles } from '@payment-intents/contract'
import { HttpError, type Merchant } from '@payment-intents/core'
import type { FastifyRequest } from 'fastify'
import type { ApiKeyScope } from '../../store/merchants/apiKeys.ts'

/** The sender of a merchant's request: a program with an API key, or a person who is signed in. */
export type Caller = { readonly merchant: Merchant } & (
  | { readonly apiKeyId: string; readonly scope: ApiKeyScope }
  | { readonly personId: string; readonly role: Role }
)

export type Authenticate = (request: FastifyRequest) => Promise<Caller>

/**
 * Refuses an operation that the caller may not perform.
 *
 * @throws {HttpError} `forbidden`
 */
export function checkPermission(
  caller: Caller,
  { method, role }: Pick<Endpoint, 'method' | 'role'>,
): void {
  if ('scope' in caller) {
    if (method === 'GET' || caller.scope === 'full') return
    throw new HttpError('forbidden', 'This API key is read-only: it may send GET requests alone.')
  }
  checkRole(caller.role, role ?? (method === 'GET' ? 'reader' : 'support'))
}

/** @throws {HttpError} `forbidden` */
export function checkRole(has: Role, needed: Role): void {
  if (roles.indexOf(has) >= roles.indexOf(needed)) return
  throw new HttpError('forbidden', `This needs the role ${needed}; yours is ${has}.`)
}
