import {
  type NewPaymentIntent,
  newIntent,
  presentNew,
  type StoredCreation,
  type Terms,
} from '@payment-intents/core'
import { createBatcher } from '../connection/batch.ts'
import { type Db, isSqlState } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'
import { keyOf } from '../merchants/idempotencyKeys.ts'
import { type Inserted, insertCreations, type NewCreation } from './insertCreations.ts'
import { createPayableAmounts, type PayableAmounts } from './payableAmounts.ts'

/** The maximum of creations in a statement. */
export const maxBatchedCreations = 100
/** Each try sees what another transaction wrote during the previous try. */
const tries = 3

/**
 * Stores creations, each with its idempotency key, reservation and event, or with none of them. Those that arrive
 * together share a statement, in which merchants take turns.
 *
 * @param random returns a number in [0, 1), by which payable amounts are drawn
 */
export function createCreationStore(
  db: Db,
  random: () => number,
): (creation: NewPaymentIntent) => Promise<StoredCreation> {
  const amounts = createPayableAmounts(db, random)
  const underWay = new Set<Amounts>()
  const storeTogether = createBatcher<Waiting, Inserted>({
    limit: maxBatchedCreations,
    ownerOf: ({ terms }) => terms.merchantId,
    run: (batch) => storeBatch(db, amounts, batch, underWay),
  })
  return async ({ operation, idempotency, payer = null, ...creationFields }) => {
    const creation = { ...creationFields, payer, key: idempotency && keyOf(operation, idempotency) }
    for (let isRare = payer !== null; ; ) {
      const inserted = await storeTogether({ ...creation, isRare })
      if (inserted.type === 'amount_taken') await amounts.check(creation.terms)
      else if (inserted.type === 'needs_rare_cases') isRare = true
      else return inserted
    }
  }
}

/** A creation that waits for its statement. */
type Waiting = Omit<NewPaymentIntent, 'idempotency' | 'operation' | 'payer'> &
  Pick<NewCreation, 'key' | 'isRare' | 'payer'>

/** The prices of a batch and the amounts that it reserves, each with its wallet. */
type Amounts = Set<string>

async function storeBatch(
  db: Db,
  amounts: PayableAmounts,
  batch: readonly Waiting[],
  underWay: Set<Amounts>,
): Promise<readonly Inserted[]> {
  for (let tried = 1; ; tried += 1) {
    const batchAmounts: Amounts = new Set()
    const creations = prepare(amounts, batch, batchAmounts, underWay)
    underWay.add(batchAmounts)
    let inserted: readonly Inserted[] = []
    try {
      inserted = await insertCreations(db.pool, creations)
      return inserted
    } catch (error) {
      if (batch.length === 1 && isKeyLocked(error)) return [{ type: 'in_flight' }]
      if (tried === tries || !isRace(error)) throw error
    } finally {
      underWay.delete(batchAmounts)
      for (const [index, { intent, reserved }] of creations.entries()) {
        const outcome = inserted[index]?.type
        const isFree = outcome !== 'created' && outcome !== 'amount_taken'
        if (reserved !== null && isFree) amounts.giveBack(intent, reserved)
      }
    }
  }
}

/**
 * Assigns an amount to each creation. It is neither the price of another creation nor an amount of another batch, which
 * no snapshot shows yet.
 */
function prepare(
  amounts: PayableAmounts,
  batch: readonly Waiting[],
  batchAmounts: Amounts,
  underWay: ReadonlySet<Amounts>,
): NewCreation[] {
  const name = ({ chainId, wallet }: Terms, amount: bigint) => `${chainId}:${wallet}:${amount}`
  for (const { terms } of batch) batchAmounts.add(name(terms, terms.amount))
  const all = [batchAmounts, ...underWay]
  return batch.map(({ terms, reservesAmount, ...creation }) => {
    const isExcluded = (amount: bigint) => {
      const named = name(terms, amount)
      return all.some((excluded) => excluded.has(named))
    }
    const reserved = reservesAmount ? amounts.propose(terms, isExcluded) : null
    if (reserved !== null) batchAmounts.add(name(terms, reserved))
    const intent = newIntent(terms, {
      payable: reserved ?? terms.amount,
      referenceOnly: reserved === null,
    })
    const eventId = newId('evt', terms.createdAt)
    return { ...creation, intent, reserved, eventId, text: presentNew(intent) }
  })
}

/** Whether another transaction was first: a unique violation, a deadlock, or a serialization failure. */
function isRace(error: unknown): boolean {
  return ['23505', '40P01', '40001'].some((code) => isSqlState(error, code))
}

/** Whether another transaction has held this key for longer than the lock timeout. */
function isKeyLocked(error: unknown): boolean {
  return (
    isSqlState(error, '55P03') &&
    String((error as { where?: string }).where).includes('idempotency_keys')
  )
}
