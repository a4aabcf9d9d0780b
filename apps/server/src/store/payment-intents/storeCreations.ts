import { endpoints } from '@payment-intents/contract'
import {
  type Actor,
  type EarlierCreation,
  type IdempotentRequest,
  type NewPaymentIntent,
  opened,
  presentNew,
  type StoredCreation,
  type Terms,
} from '@payment-intents/core'
import { sha256 } from '../../lib/crypto/sha256.ts'
import { createBatcher } from '../connection/batch.ts'
import { type Db, isSqlState, type Queryable } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'
import { findKept, type Kept } from '../merchants/idempotencyKeys.ts'
import { type Inserted, insertCreations, type NewCreation } from './insertCreations.ts'
import { createPayableAmounts, type PayableAmounts } from './payableAmounts.ts'

export type StoreCreation = (creation: NewPaymentIntent) => Promise<StoredCreation>

/** The endpoint whose idempotency keys these are. */
const route = `${endpoints.createPaymentIntent.method} ${endpoints.createPaymentIntent.path}`

/** Of one statement; a merchant's requests beyond wait for a later one. */
export const creationsAtOnce = 100
/** Another transaction's write shows in the next try. */
const tries = 3

/**
 * Stores creations, each with its idempotency row, its reservation and its event, all of them or none. Those that arrive
 * together are one statement, a few of each merchant in turn.
 *
 * @param random in [0, 1): draws the payable amounts
 */
export function createCreationStore(db: Db, random: () => number): StoreCreation {
  const amounts = createPayableAmounts(db, random)
  const underWay = new Set<Amounts>()
  const storeTogether = createBatcher<Trying, Outcome>({
    most: creationsAtOnce,
    of: ({ terms }) => terms.merchantId,
    run: (batch) => storeBatch(db, amounts, batch, underWay),
  })
  return async ({ idempotency, ...rest }) => {
    const asked = { ...rest, request: idempotency && toRow(idempotency) }
    for (let isWhole = false; ; ) {
      const { inserted, creation } = await storeTogether({ ...asked, isWhole })
      const stored = toStored(inserted, creation)
      if (stored.type === 'amount_taken') await amounts.check(asked.terms)
      else if (stored.type === 'incomplete') isWhole = true
      else return stored
    }
  }
}

/** Read by its own request: once a batch is written, one outcome that cannot be read fails no other. */
type Outcome = {
  readonly inserted: Inserted | { type: 'in_flight' }
  readonly creation: NewCreation
}

type Trying = Omit<NewPaymentIntent, 'idempotency'> & Pick<NewCreation, 'request' | 'isWhole'>

/** Nothing was written yet. */
type Again = Extract<Inserted, { type: 'amount_taken' | 'incomplete' }>

/** Amounts at wallets: the prices of a batch, and what it has its payers asked for. */
type Amounts = Set<string>

async function storeBatch(
  db: Db,
  amounts: PayableAmounts,
  batch: readonly Trying[],
  underWay: Set<Amounts>,
): Promise<Outcome[]> {
  for (let tried = 1; ; tried += 1) {
    const own: Amounts = new Set()
    const creations = prepare(amounts, batch, own, underWay)
    underWay.add(own)
    let inserted: readonly Inserted[] | null = null
    try {
      const outcomes = await insertCreations(db.pool, creations)
      inserted = outcomes
      return creations.map((creation, index) => {
        return { inserted: outcomes[index] as Inserted, creation }
      })
    } catch (error) {
      const [first] = creations
      if (first && batch.length === 1 && isHeldKey(error)) {
        return [{ inserted: { type: 'in_flight' }, creation: first }]
      }
      if (tried === tries || !isRace(error)) throw error
    } finally {
      underWay.delete(own)
      for (const [index, { intent, reserved }] of creations.entries()) {
        const isUnused = !inserted || (inserted[index] as Inserted).type !== 'created'
        const isTaken = inserted?.[index]?.type === 'amount_taken'
        if (reserved !== null && isUnused && !isTaken) amounts.giveBack(intent, reserved)
      }
    }
  }
}

/** Each has an amount of its own, which is the price of none, nor of any in another batch: no snapshot shows that yet. */
function prepare(
  amounts: PayableAmounts,
  batch: readonly Trying[],
  own: Amounts,
  underWay: ReadonlySet<Amounts>,
): NewCreation[] {
  const name = ({ chainId, wallet }: Terms, amount: bigint) => `${chainId}:${wallet}:${amount}`
  for (const { terms } of batch) own.add(name(terms, terms.amount))
  const all = [own, ...underWay]
  return batch.map((asked) => {
    const { terms, hasPayment } = asked
    const isExcluded = (amount: bigint) => {
      const named = name(terms, amount)
      return all.some((excluded) => excluded.has(named))
    }
    const reserved = hasPayment ? null : amounts.propose(terms, isExcluded)
    if (reserved !== null) own.add(name(terms, reserved))
    const intent = opened(terms, {
      payable: reserved ?? terms.amount,
      referenceOnly: reserved === null,
    })
    return {
      ...asked,
      intent,
      reserved,
      eventId: newId('evt', terms.createdAt),
      text: presentNew(intent),
    }
  })
}

function toStored(
  inserted: Outcome['inserted'],
  { intent, text, secretKey, request }: NewCreation,
): StoredCreation | Again {
  if (inserted.type === 'created') {
    const response = text.begin + text.answer
    return { type: 'created', id: intent.id, chainId: intent.chainId, response, secretKey }
  }
  return inserted.type === 'kept' ? toEarlier(inserted, request) : inserted
}

/** The answer that is kept under this key, if any. */
export async function findEarlier(
  db: Queryable,
  actor: Actor,
  idempotency: IdempotentRequest,
): Promise<EarlierCreation | null> {
  const request = toRow(idempotency)
  const kept = await findKept(db, { ...actor, ...request })
  return kept && toEarlier(kept, request)
}

function toRow({ key, fingerprint }: IdempotentRequest): NonNullable<NewCreation['request']> {
  return { route, key, hash: sha256(fingerprint, 'hex') }
}

function toEarlier(
  { hash, response, secretKey }: Kept,
  request: NewCreation['request'],
): EarlierCreation {
  if (!response) return { type: 'in_flight' }
  if (request?.hash !== hash) return { type: 'mismatch' }
  const { id, chain_id: chainId } = JSON.parse(response)
  return { type: 'replayed', id, chainId, response, secretKey }
}

/** Unique violation, deadlock, or serialization failure: another transaction was first. */
function isRace(error: unknown): boolean {
  return ['23505', '40P01', '40001'].some((code) => isSqlState(error, code))
}

/** A transaction with this key took longer than a lock is waited for. */
function isHeldKey(error: unknown): boolean {
  return (
    isSqlState(error, '55P03') &&
    String((error as { where?: string }).where).includes('idempotency_keys')
  )
}
