import { internalError } from '@payment-intents/core'
import { boundedMap } from '../../lib/boundedMap.ts'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { inHalves } from './inHalves.ts'
import type { DatabaseWatch } from './watchDatabase.ts'

/** Bounds how long one statement takes; more ids are the next one's. */
const most = 500
/** Statements under way at once, when one is slow. */
const atOnce = 2
/** Ids that are read alone, because they could not be read with others. */
const readAloneAtMost = 1_000

type Source = {
  readonly db: {
    readonly pool: { readonly options: { readonly query_timeout?: number | undefined } }
  }
  readonly database: Pick<DatabaseWatch, 'isAway' | 'onAway' | 'report'>
}

type Found<Value> = {
  readonly values: ReadonlyMap<string, Value>
  /** Why ids could not be read. */
  readonly failures: ReadonlyMap<string, unknown>
}

type Batch<Value> = {
  readonly ids: Set<string>
  /** Its one id could not be read lately. */
  readonly isAlone: boolean
  /** Those of an earlier batch whose statement is slow or has failed. */
  readonly again: Set<string>
  /** The outcome of the one statement that reads both. */
  readonly statement: PromiseWithResolvers<Found<Value>>
  /** The same, or that of the statement after it: for those who asked for `ids`. */
  readonly answer: PromiseWithResolvers<Found<Value>>
}

/**
 * Reads by id such that what is asked for at one moment is read by one statement, and what many ask for once. Ids that are
 * asked for while a statement runs are read by the next one, so a lone request waits for nothing. Each answer is from after
 * its request.
 *
 * A statement that fails for trouble that passes, or has not ended after a quarter of its time, is repeated once with the
 * next one, on another connection: one statement that hangs fails nobody, and holds up nobody for longer. While the
 * database is away, all of them fail at once. A statement that fails for another reason is repeated in halves: a row that
 * cannot be read fails its own readers alone, and is read apart from others until it can.
 */
export function shareReads<Value>(
  { db, database }: Source,
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (id: string) => Promise<Value | null> {
  const slowMs = (db.pool.options.query_timeout ?? 60_000) / 4
  const waiting: Batch<Value>[] = []
  const running = new Set<Batch<Value>>()
  const slow = new Set<Batch<Value>>()
  const readAlone = boundedMap<true>(readAloneAtMost)
  database.onAway(() => {
    for (const batch of [...running, ...slow, ...waiting.splice(0)]) fail(batch, internalError())
    // A statement without an answer does not hold up those after the outage.
    running.clear()
    slow.clear()
  })

  function add(isAlone = false): Batch<Value> {
    const batch: Batch<Value> = {
      ids: new Set(),
      isAlone,
      again: new Set(),
      statement: Promise.withResolvers(),
      answer: Promise.withResolvers(),
    }
    for (const { promise } of [batch.statement, batch.answer]) promise.catch(() => {})
    waiting.push(batch)
    // All that is asked for at this moment comes first.
    queueMicrotask(startNext)
    return batch
  }

  function startNext(): void {
    if (running.size > 0 || slow.size === atOnce) return
    const batch = waiting.shift()
    if (batch) void run(batch)
  }

  async function run(batch: Batch<Value>): Promise<void> {
    running.add(batch)
    const late = setTimeout(() => {
      if (!running.delete(batch)) return
      slow.add(batch)
      // Its own statement may still be the first to end.
      repeat(batch)?.then(batch.answer.resolve, () => {})
      startNext()
    }, slowMs)
    try {
      if (database.isAway()) throw internalError()
      const found = await readApart([...new Set([...batch.ids, ...batch.again])])
      batch.statement.resolve(found)
      batch.answer.resolve(found)
    } catch (error) {
      database.report(error)
      const passes = running.has(batch) && classifyDbError(error) !== null
      const repeated = passes ? repeat(batch) : null
      if (repeated) batch.statement.reject(error)
      else fail(batch, error)
      repeated?.then(batch.answer.resolve, batch.answer.reject)
    } finally {
      clearTimeout(late)
      running.delete(batch)
      slow.delete(batch)
      startNext()
    }
  }

  async function readApart(ids: readonly string[]): Promise<Found<Value>> {
    const values = new Map<string, Value>()
    const failures = new Map<string, unknown>()
    const readSome = async (some: readonly string[]) => {
      for (const [id, value] of await read(some)) values.set(id, value)
    }
    await inHalves(ids, readSome, { onFailure: (id, error) => void failures.set(id, error) })
    for (const id of ids) {
      if (failures.has(id)) readAlone.set(id, true)
      else readAlone.delete(id)
    }
    return { values, failures }
  }

  /** Once: what is repeated already is not repeated again. */
  function repeat({ ids }: Batch<Value>): Promise<Found<Value>> | null {
    if (ids.size === 0) return null
    const next = waiting.find(({ isAlone }) => !isAlone) ?? add()
    for (const id of ids) next.again.add(id)
    return next.statement.promise
  }

  function batchFor(id: string): Batch<Value> {
    if (readAlone.get(id))
      return waiting.find(({ ids, isAlone }) => isAlone && ids.has(id)) ?? add(true)
    const last = waiting.findLast(({ isAlone }) => !isAlone)
    return last && last.ids.size < most ? last : add()
  }

  return async (id) => {
    const batch = batchFor(id)
    batch.ids.add(id)
    const { values, failures } = await batch.answer.promise
    if (failures.has(id)) throw failures.get(id)
    return values.get(id) ?? null
  }
}

function fail<Value>({ statement, answer }: Batch<Value>, error: unknown): void {
  statement.reject(error)
  answer.reject(error)
}
