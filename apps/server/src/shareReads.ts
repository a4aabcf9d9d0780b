import { internalError } from '@payment-intents/rules'
import type { DatabaseWatch } from './db/watchDatabase.ts'

/** Bounds how long one statement takes; more ids are the next one's. */
const most = 500

/**
 * Reads by id such that what is asked for at one moment is read by one statement, and what many ask for once. Ids that are
 * asked for while a statement runs are read by the next one, so a lone request waits for nothing. Each answer is from after
 * its request.
 *
 * While the database is away, all of them fail at once.
 */
export function shareReads<Value>(
  database: Pick<DatabaseWatch, 'isAway' | 'onAway' | 'report'>,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (id: string) => Promise<Value | null> {
  type Batch = { readonly ids: Set<string>; readonly found: Promise<ReadonlyMap<string, Value>> }
  let next: Batch | null = null
  let last: Promise<unknown> = Promise.resolve()
  let giveUp = () => {}
  database.onAway(() => giveUp())

  function begin(): Batch {
    const ids = new Set<string>()
    const batch: Batch = { ids, found: last.then(() => run(batch)) }
    last = batch.found.catch(database.report)
    return batch
  }

  async function run(batch: Batch): Promise<ReadonlyMap<string, Value>> {
    if (next === batch) next = null
    if (database.isAway()) throw internalError()
    const away = Promise.withResolvers<never>()
    giveUp = () => away.reject(internalError())
    return Promise.race([read([...batch.ids]), away.promise])
  }

  return async (id) => {
    if (next === null || next.ids.size >= most) next = begin()
    next.ids.add(id)
    return (await next.found).get(id) ?? null
  }
}
