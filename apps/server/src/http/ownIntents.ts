import type { Intent } from '@payment-intents/rules'
import { findIntents } from '../db/intents/paymentIntents.ts'
import type { Actor } from '../db/merchants/actor.ts'
import { shareReads } from '../shareReads.ts'
import type { HttpContext } from './context.ts'

/** Finds an intent of the caller; null also for one of another merchant or mode. */
type OwnIntents = (actor: Actor, id: string) => Promise<Intent | null>

/** Requests of all merchants share their reads. */
export function createOwnIntents({
  db,
  database,
}: Pick<HttpContext, 'db' | 'database'>): OwnIntents {
  const find = shareReads({ db, database }, (ids) => findIntents(db.pool, ids))
  return async ({ merchantId, mode }, id) => {
    const intent = await find(id)
    return intent && intent.merchantId === merchantId && intent.mode === mode ? intent : null
  }
}
