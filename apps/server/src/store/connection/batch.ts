import { AsyncResource } from 'node:async_hooks'
import pg from 'pg'
import { classifyDbError, writeFaultOf } from '../../lib/classifyDbError.ts'

/** After this time a batch is slow, and delays no other: it may be waiting for another transaction's lock. */
const slowMs = 50
/** The maximum of concurrent batches, including slow batches. */
const maxBatches = 4
/** The maximum of concurrent batches that are not slow: this process prepares one while PostgreSQL writes the other. */
const maxQuickBatches = 2
/** A second quick batch begins once this many items wait: a batch itself costs as much as five of its items. */
const worthwhile = 16

/**
 * Runs items in batches. Items that arrive while a batch runs become the next batch, so a lone item never waits. If
 * many wait, two batches run at once. A batch that fails has changed nothing, and is repeated item by item, so that a
 * faulty item fails alone. While the database is away or accepts no writes, all waiting items fail at once.
 *
 * @param options.limit the maximum of items in a batch
 * @param options.ownerOf the owner of an item; a batch takes an item of each owner in turn
 * @param options.run resolves to the results in the order of the items; rejects only if it has changed nothing
 */
export function createBatcher<Item, Result>({
  limit,
  ownerOf = () => '',
  run,
}: {
  limit: number
  ownerOf?(item: Item): string
  run(items: readonly Item[]): Promise<readonly Result[]>
}): (item: Item) => Promise<Result> {
  type Waiting = {
    item: Item
    /** The context of the request, for its trace. `AsyncLocalStorage.snapshot` takes a hundred times as long. */
    request: AsyncResource
    resolve(result: Result): void
    reject(error: unknown): void
  }
  /** By owner, in the order of their turns. */
  const queues = new Map<string, Waiting[]>()
  /** The items of failed batches, which run alone. */
  let single: Waiting[] = []
  let waiting = 0
  let running = 0
  let slow = 0

  function takeBatch(): Waiting[] {
    const [next] = single.splice(0, 1)
    if (next) return [next]
    const batch: Waiting[] = []
    while (batch.length < limit && queues.size > 0) {
      for (const [owner, queue] of [...queues].slice(0, limit - batch.length)) {
        batch.push(...queue.splice(0, 1))
        queues.delete(owner)
        if (queue.length > 0) queues.set(owner, queue)
      }
    }
    waiting -= batch.length
    return batch
  }

  async function runBatch(batch: readonly [Waiting, ...Waiting[]]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item)
      const results = await batch[0].request.runInAsyncScope(run, null, items)
      const missingResult = new Error('A batch lost a result.')
      for (const [index, { resolve, reject }] of batch.entries()) {
        if (index < results.length) resolve(results[index] as Result)
        else reject(missingResult)
      }
    } catch (error) {
      const failsAll = classifyDbError(error) === 'away' || writeFaultOf(error) !== null
      const isItemError = classifyDbError(error) === null || error instanceof pg.DatabaseError
      if (batch.length > 1 && !failsAll && isItemError) {
        single.push(...batch)
        return
      }
      const failed = failsAll ? [...batch, ...single, ...[...queues.values()].flat()] : batch
      if (failsAll) {
        single = []
        queues.clear()
        waiting = 0
      }
      for (const { reject } of failed) reject(error)
    }
  }

  function startNext(): void {
    const quick = running - slow
    if (running === maxBatches || quick === maxQuickBatches) return
    if (quick > 0 && waiting < worthwhile && single.length === 0) return
    const [first, ...others] = takeBatch()
    if (!first) return
    running += 1
    let isSlow = false
    const slowTimer = setTimeout(() => {
      isSlow = true
      slow += 1
      startNext()
    }, slowMs)
    void runBatch([first, ...others]).then(() => {
      clearTimeout(slowTimer)
      running -= 1
      if (isSlow) slow -= 1
      startNext()
    })
    startNext()
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const owner = ownerOf(item)
    const queue = queues.get(owner)
    const added = { item, request: new AsyncResource('Batch'), resolve, reject }
    if (queue) queue.push(added)
    else queues.set(owner, [added])
    waiting += 1
    startNext()
    return promise
  }
}
