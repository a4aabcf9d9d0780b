import { windows } from '@payment-intents/contract'
import {
  eventsOf,
  opened,
  payableCandidates,
  presentCreated,
  type Terms,
} from '@payment-intents/rules'
import { watchWallet } from '../db/chains/watchedWallets.ts'
import { type Db, isSqlState, type Queryable, transaction } from '../db/connect.ts'
import { insertEvents, rowsOf } from '../db/events/events.ts'
import { insertMetadata } from '../db/intents/metadata.ts'
import { insertIntent } from '../db/intents/paymentIntents.ts'
import { reservePayable } from '../db/intents/reservations.ts'
import { ownWallet } from '../db/merchants/walletOwners.ts'

export type IdempotentRequest = {
  readonly route: string
  readonly key: string
  /** SHA-256 of what was asked for. */
  readonly hash: Buffer
}

type Answer = {
  readonly id: string
  /** JSON text without the client secret. */
  readonly response: string
  /** The fingerprint of the key that the client secret is derived with; null: it was not written down. */
  readonly secretKey: string | null
}

export type StoredCreation =
  | ({ type: 'created' | 'replayed' } & Answer)
  | { type: 'mismatch' }
  | { type: 'in_flight' }
  | { type: 'no_payable_amount_left' }
  /** Another merchant named the address first. */
  | { type: 'wallet_taken' }

/** The intent, its idempotency row, its reservation and its event: one transaction, so all of them or none. */
export async function storeCreation(
  db: Db,
  terms: Terms,
  {
    request,
    namesWallet,
    since,
    secretKey,
    random,
  }: {
    request: IdempotentRequest | null
    /** Whether the request named the wallet, rather than leave it to the merchant's own. */
    namesWallet: boolean
    /** What the chain's clock may have shown when the intent was created, at the earliest; Unix milliseconds. */
    since: number
    /** The fingerprint of the key that its client secret is derived with. */
    secretKey: string
    /** In [0, 1): draws the payable amount. */
    random: () => number
  },
): Promise<StoredCreation> {
  try {
    return await transaction(db, async (client) => {
      if (request) {
        const earlier = await claimKey(client, terms, request)
        if (earlier) return earlier
      }
      if (namesWallet && !(await ownWallet(client, terms))) throw new Refused('wallet_taken')
      const until = terms.expiresAt + windows.late
      const candidates = payableCandidates(terms.amount, random)
      const wanted = { ...terms, intentId: terms.id, candidates, since, until }
      const reserved = await reservePayable(client, wanted)
      if (reserved === null && terms.lane === 'manual') throw new Refused('no_payable_amount_left')
      const intent = opened(terms, {
        payable: reserved ?? terms.amount,
        referenceOnly: reserved === null,
      })
      await insertIntent(client, intent)
      await insertMetadata(client, intent)
      const created = rowsOf(intent, eventsOf(intent, ['payment_intent.created']))
      await insertEvents(client, created, terms.createdAt)
      await watchWallet(client, { ...terms, since, until })
      const response = presentCreated(intent)
      if (request) await keepResponse(client, terms, request, { response, secretKey })
      return { type: 'created', id: terms.id, response, secretKey }
    })
  } catch (error) {
    if (error instanceof Refused) return { type: error.reason }
    throw error
  }
}

/** Undoes what the transaction has written. */
class Refused extends Error {
  readonly reason: 'no_payable_amount_left' | 'wallet_taken' | 'in_flight'

  constructor(reason: Refused['reason']) {
    super(reason)
    this.reason = reason
  }
}

/**
 * Takes the key for this transaction. A request of another process that holds it already is waited for as long as
 * for any lock: its commit shows its answer, its rollback gives the key to us.
 */
async function claimKey(
  client: Queryable,
  terms: Terms,
  request: IdempotentRequest,
): Promise<StoredCreation | null> {
  const claimed = await client
    .query({
      name: 'claim-idempotency-key',
      text: `
        insert into idempotency_keys as k (merchant_id, mode, route, key, request_hash)
        values ($1, $2, $3, $4, $5)
        on conflict (merchant_id, mode, route, key) do update
          set request_hash = excluded.request_hash, response = null, created_at = now()
          where k.created_at < now() - interval '${windows.idempotency} seconds'
        returning true`,
      values: [terms.merchantId, terms.mode, request.route, request.key, request.hash],
    })
    .catch((error) => {
      throw isSqlState(error, '55P03') ? new Refused('in_flight') : error
    })
  if (claimed.rowCount === 1) return null
  // The sweep removed a key as it turned a day old: the caller's next try finds it free.
  return (await findEarlier(client, terms, request)) ?? { type: 'in_flight' }
}

/** What a request that has come before gets. */
type Earlier = ({ type: 'replayed' } & Answer) | { type: 'mismatch' } | { type: 'in_flight' }

type Kept = { request_hash: Buffer; response: string | null; secret_key: string | null }

/** The answer that is kept under this key, if any. */
export async function findEarlier(
  db: Queryable,
  who: Pick<Terms, 'merchantId' | 'mode'>,
  request: IdempotentRequest,
): Promise<Earlier | null> {
  const { rows } = await db.query<Kept>({
    name: 'find-idempotency-key',
    text: `
      select request_hash, response, secret_key from idempotency_keys
      where merchant_id = $1 and mode = $2 and route = $3 and key = $4
        and created_at >= now() - interval '${windows.idempotency} seconds'`,
    values: [who.merchantId, who.mode, request.route, request.key],
  })
  const [row] = rows
  if (!row) return null
  if (!row.response) return { type: 'in_flight' }
  if (!row.request_hash.equals(request.hash)) return { type: 'mismatch' }
  const { response, secret_key: secretKey } = row
  return { type: 'replayed', id: JSON.parse(response).id, response, secretKey }
}

async function keepResponse(
  client: Queryable,
  terms: Terms,
  request: IdempotentRequest,
  { response, secretKey }: Pick<Answer, 'response' | 'secretKey'>,
): Promise<void> {
  await client.query({
    name: 'keep-response',
    text: `
      update idempotency_keys set response = $5, secret_key = $6
      where merchant_id = $1 and mode = $2 and route = $3 and key = $4`,
    values: [terms.merchantId, terms.mode, request.route, request.key, response, secretKey],
  })
}
