import type { Mode, Role } from '@payment-intents/contract'
import type { CheckAccountSignature } from '@payment-intents/core'
import type { z } from 'zod'
import type { SignedIn } from '../store/account/sessions.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import type { Notifications } from '../store/notifications.ts'

/** The dependencies of the account's handlers. */
export type AccountContext = {
  readonly db: Db
  readonly database: Pick<DatabaseWatch, 'report'>
  readonly notifications: Pick<Notifications, 'keysChanged'>
  /** The dashboard's origin: scheme, host and port. */
  readonly dashboardUrl: string
  /** Unix milliseconds. */
  readonly now: () => number
  /** The modes in which this server follows a chain. */
  readonly modes: readonly Mode[]
  readonly checkAccountSignature: CheckAccountSignature
  /** Whether this installation has a mail server. */
  readonly sendsMail: boolean
}

/** A request to the account, authenticated and parsed. */
type AccountRequest<Body> = SignedIn & {
  readonly body: Body
  /** The id in the path; empty without one. */
  readonly id: string
  readonly mode: Mode
  readonly query: URLSearchParams
}

/** A request from somebody who is not signed in. */
type VisitorRequest<Body> = { readonly body: Body; readonly userAgent: string }

export type AccountResponse = {
  readonly body: unknown
  /** The session of the cookie that the response sets; null: the response deletes the cookie. */
  readonly session?: NewSession | null
  /** The id of the created object, for the audit log. */
  readonly subject?: string
}

export type NewSession = { readonly token: string; readonly expiresAt: number }

type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** A path in Fastify's form, where `:id` is the id of an object. */
  readonly path: `/account/${string}`
}

/** An endpoint for people who are signed in. */
export type AccountEndpoint<Body = never> = Route & {
  /** The least role that may call the endpoint. */
  readonly role: Role
  /**
   * Requires a passkey or a sign-in link in the last minutes. It is true for every endpoint that changes permissions or
   * the destination of money.
   */
  readonly needsProof: boolean
  /** Keeps the request out of the audit log, which has every other request except `GET`. */
  readonly isUnlogged?: true
  /** The action in the past tense, for a mail to every owner. */
  readonly notice?: string
  readonly body?: z.ZodType<Body>
  handle(context: AccountContext, request: AccountRequest<Body>): Promise<AccountResponse>
}

/** An endpoint for somebody who wants to sign in. */
export type VisitorEndpoint<Body = never> = Route & {
  readonly body?: z.ZodType<Body>
  handle(context: AccountContext, request: VisitorRequest<Body>): Promise<AccountResponse>
}

/** Ties the type of a handler's body to its schema. */
export function accountEndpoint<Body = undefined>(
  endpoint: AccountEndpoint<Body>,
): AccountEndpoint {
  return endpoint as unknown as AccountEndpoint
}

export function visitorEndpoint<Body = undefined>(
  endpoint: VisitorEndpoint<Body>,
): VisitorEndpoint {
  return endpoint as unknown as VisitorEndpoint
}
