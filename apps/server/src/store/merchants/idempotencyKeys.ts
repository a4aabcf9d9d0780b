import { endpoints, windows } from '@payment-intents/contract'
import type { Actor, EarlierCreation, IdempotentRequest } from '@payment-intents/core'
import { sha256 } from '../../lib/crypto/sha256.ts'
import type { Queryable } from '../connection/connect.ts'

/** The endpoints whose responses are stored under an idempotency key. */
type Keyed = 'createPaymentIntent' | 'createRefund' | 'createPaymentLink' | 'payPaymentLink'

/** An idempotency key as its row stores it. */
export type IdempotencyKey = {
  readonly route: string
  readonly key: string
  /** SHA-256 of the request, in hexadecimal. */
  readonly hash: string
}

export function keyOf(operation: Keyed, { key, fingerprint }: IdempotentRequest): IdempotencyKey {
  const { method, path } = endpoints[operation]
  return { route: `${method} ${path}`, key, hash: sha256(fingerprint, 'hex') }
}

/** The response that is stored under a key. */
export type StoredResponse = {
  readonly hash: string
  /** JSON text without the client secret. */
  readonly response: string
  /** The fingerprint of the key from which the client secret is derived. */
  readonly secretKey: string
}

/** The outcome of a request whose key already has a stored response. */
export function earlierCreation(
  { hash, response, secretKey }: StoredResponse,
  request: IdempotencyKey | null,
): EarlierCreation {
  if (request?.hash !== hash) return { type: 'mismatch' }
  return { type: 'replayed', response, secretKey }
}

/** Finds the outcome of an earlier request with this key; null: there was none. */
export async function findEarlier(
  db: Queryable,
  operation: Keyed,
  { merchantId, mode }: Actor,
  request: IdempotentRequest,
): Promise<EarlierCreation | null> {
  const key = keyOf(operation, request)
  const { rows } = await db.query<StoredResponse>({
    name: 'find-idempotency-key',
    text: `
      select encode(request_hash, 'hex') as hash, response, secret_key as "secretKey" from idempotency_keys
      where merchant_id = $1 and mode = $2 and route = $3 and key = $4
        and created_at >= now() - interval '${windows.idempotency} seconds'`,
    values: [merchantId, mode, key.route, key.key],
  })
  return rows[0] ? earlierCreation(rows[0], key) : null
}

/**
 * Stores a response that holds no secrets.
 * @returns false: the key has a response that has not expired
 */
export async function insertKey(
  db: Queryable,
  operation: Keyed,
  { merchantId, mode }: Actor,
  { idempotency, response }: { idempotency: IdempotentRequest; response: string },
): Promise<boolean> {
  const { route, key, hash } = keyOf(operation, idempotency)
  const { rowCount } = await db.query({
    name: 'insert-idempotency-key',
    text: `
      insert into idempotency_keys as k
        (merchant_id, mode, route, key, request_hash, response, secret_key)
      values ($1, $2, $3, $4, decode($5, 'hex'), $6, '')
      on conflict (merchant_id, mode, route, key) do update
        set request_hash = excluded.request_hash, response = excluded.response, created_at = now()
        where k.created_at < now() - interval '${windows.idempotency} seconds'`,
    values: [merchantId, mode, route, key, hash, response],
  })
  return rowCount === 1
}

/**
 * Deletes a step of the idempotency keys from before a time.
 * @param before Unix milliseconds
 * @returns null: none are left
 */
export async function deleteIdempotencyKeys(
  db: Queryable,
  { before, limit }: { before: number; limit: number },
): Promise<string | null> {
  const { rowCount } = await db.query({
    name: 'delete-idempotency-keys',
    text: `
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys where created_at < $1 order by created_at limit $2
      ))`,
    values: [new Date(before), limit],
  })
  return (rowCount ?? 0) < limit ? null : ''
}
