import { internalError } from '@payment-intents/core'
import { boundedMap } from '../../lib/boundedMap.ts'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { inHalves } from './inHalves.ts'
import type { DatabaseWatch } from './watchDatabase.ts'

/** The maximum of ids in a statement, which limits its time. The next statement reads further ids. */
const maxIds = 500
/** The maximum of slow statements. While so many hang, no further statement starts. */
const maxSlowStatements = 2
/** The maximum of ids that are read separately, since they could not be read with others. */
const maxUnbatched = 1_000

type Source = {
  readonly db: {
    readonly pool: { readonly options: { readonly query_timeout?: number | undefined } }
  }
  readonly database: Pick<DatabaseWatch, 'isAway' | 'onAway' | 'report'>
}

type ReadOutcome<Value> = {
  readonly values: ReadonlyMap<string, Value>
  /** The errors of the ids that could not be read. */
  readonly failures: ReadonlyMap<string, unknown>
}

type Batch<Value> = {
  readonly ids: Set<string>
  /** Whether the batch has a single id, which could not be read lately. */
  readonly isUnbatched: boolean
  /** The ids of an earlier batch whose statement is slow or has failed. */
  readonly repeatedIds: Set<string>
  /** The outcome of the statement that reads `ids` and `repeatedIds`. */
  readonly statement: PromiseWithResolvers<ReadOutcome<Value>>
  /** The outcome for callers that requested `ids`: of this batch's statement or of the statement that repeats it. */
  readonly outcome: PromiseWithResolvers<ReadOutcome<Value>>
}

/**
 * Reads by id. A single statement reads all ids that are requested at the same moment, and each id once for all its
 * callers. Ids that are requested while a statement runs are read by the next, so a lone request never waits. A result
 * is never older than its request.
 *
 * If a statement fails temporarily, or takes longer than a quarter of its timeout, the next statement repeats it once
 * on another connection: a single hanging statement fails nobody, and delays nobody for longer. While the database is
 * unreachable, all reads fail at once. A statement that fails for another reason is repeated in halves: a row that
 * cannot be read fails only its own readers, and is read separately until it can be read.
 */
export function coalesceReads<Value>(
  { db, database }: Source,
  readValues: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (id: string) => Promise<Value | null> {
  const slowMs = (db.pool.options.query_timeout ?? 60_000) / 4
  const waiting: Batch<Value>[] = []
  const running = new Set<Batch<Value>>()
  const slow = new Set<Batch<Value>>()
  const unbatched = boundedMap<true>(maxUnbatched)
  database.onAway(() => {
    for (const batch of [...running, ...slow, ...waiting.splice(0)]) fail(batch, internalError())
    // A statement that never gets a response must not delay statements after the outage.
    running.clear()
    slow.clear()
  })

  function add(isUnbatched = false): Batch<Value> {
    const batch: Batch<Value> = {
      ids: new Set(),
      isUnbatched,
      repeatedIds: new Set(),
      statement: Promise.withResolvers(),
      outcome: Promise.withResolvers(),
    }
    for (const { promise } of [batch.statement, batch.outcome]) promise.catch(() => {})
    waiting.push(batch)
    // Wait for all ids that are requested at the same moment.
    queueMicrotask(startNext)
    return batch
  }

  function startNext(): void {
    if (running.size > 0 || slow.size === maxSlowStatements) return
    const batch = waiting.shift()
    if (batch) void run(batch)
  }

  async function run(batch: Batch<Value>): Promise<void> {
    running.add(batch)
    const late = setTimeout(() => {
      if (!running.delete(batch)) return
      slow.add(batch)
      // The slow statement may still end before its repetition.
      requeue(batch)?.then(batch.outcome.resolve, () => {})
      startNext()
    }, slowMs)
    try {
      if (database.isAway()) throw internalError()
      const outcome = await readSeparately([...new Set([...batch.ids, ...batch.repeatedIds])])
      batch.statement.resolve(outcome)
      batch.outcome.resolve(outcome)
    } catch (error) {
      database.report(error)
      const isTransient = running.has(batch) && classifyDbError(error) !== null
      const repeated = isTransient ? requeue(batch) : null
      if (repeated) batch.statement.reject(error)
      else fail(batch, error)
      repeated?.then(batch.outcome.resolve, batch.outcome.reject)
    } finally {
      clearTimeout(late)
      running.delete(batch)
      slow.delete(batch)
      startNext()
    }
  }

  async function readSeparately(ids: readonly string[]): Promise<ReadOutcome<Value>> {
    const values = new Map<string, Value>()
    const failures = new Map<string, unknown>()
    const readSome = async (some: readonly string[]) => {
      for (const [id, value] of await readValues(some)) values.set(id, value)
    }
    await inHalves(ids, readSome, { onFailure: (id, error) => void failures.set(id, error) })
    for (const id of ids) {
      if (failures.has(id)) unbatched.set(id, true)
      else unbatched.delete(id)
    }
    return { values, failures }
  }

  /** Has the next statement repeat the ids of a batch; null: it had only repeated ids, which are not repeated again. */
  function requeue({ ids }: Batch<Value>): Promise<ReadOutcome<Value>> | null {
    if (ids.size === 0) return null
    const next = waiting.find(({ isUnbatched }) => !isUnbatched) ?? add()
    for (const id of ids) next.repeatedIds.add(id)
    return next.statement.promise
  }

  function batchFor(id: string): Batch<Value> {
    if (unbatched.get(id))
      return waiting.find(({ ids, isUnbatched }) => isUnbatched && ids.has(id)) ?? add(true)
    const last = waiting.findLast(({ isUnbatched }) => !isUnbatched)
    return last && last.ids.size < maxIds ? last : add()
  }

  return async (id) => {
    const batch = batchFor(id)
    batch.ids.add(id)
    const { values, failures } = await batch.outcome.promise
    if (failures.has(id)) throw failures.get(id)
    return values.get(id) ?? null
  }
}

function fail<Value>({ statement, outcome }: Batch<Value>, error: unknown): void {
  statement.reject(error)
  outcome.reject(error)
}
