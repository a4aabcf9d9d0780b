import type { Mode, Role } from '@payment-intents/contract'
import type { CheckAccountSignature } from '@payment-intents/core'
import type { z } from 'zod'
import type { SignedIn } from '../store/account/sessions.ts'
import type { Db } from '../store/connection/connect.ts'
import type { DatabaseWatch } from '../store/connection/watchDatabase.ts'
import type { Notifications } from '../store/notifications.ts'

/** The parts of the server that the account's handlers use. */
export type AccountContext = {
  readonly db: Db
  readonly database: Pick<DatabaseWatch, 'report'>
  readonly notifications: Pick<Notifications, 'keysChanged'>
  /** Origin of the dashboard: scheme, host and port. */
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

/** A request of somebody who is not signed in. */
type VisitorRequest<Body> = { readonly body: Body; readonly userAgent: string }

/** The result of a handler. */
export type AccountResponse = {
  readonly body: unknown
  /** The cookie to set; null: the response deletes it. */
  readonly session?: NewSession | null
  /** The id of the created object, for the audit log. */
  readonly subject?: string
}

export type NewSession = { readonly token: string; readonly expiresAt: number }

type Route = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Fastify's path; `:id` is the id of an object. */
  readonly path: `/account/${string}`
}

/** An endpoint for people who are signed in. */
export type AccountEndpoint<Body = never> = Route & {
  /** The least role that may call it. */
  readonly role: Role
  /**
   * Requires a passkey or a sign-in link in the last minutes. Every endpoint that changes permissions, or where money goes, requires it.
   */
  readonly needsProof: boolean
  /** Keeps the request out of the audit log, which has all others except `GET`. */
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
