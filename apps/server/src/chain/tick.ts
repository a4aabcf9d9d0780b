import { type Cursor, renewLease } from '../db/chains/cursors.ts'
import type { SetAside } from '../db/chains/setAside.ts'
import { readWatch, type Watch } from '../db/chains/watchedWallets.ts'
import type { NewEvent } from '../db/events/events.ts'
import { type Note, untracedWork } from '../tracing/traced.ts'
import { type Known, minuteOf } from './known.ts'
import { type ChainRead, type ProviderBehind, type ReadContext, readChain } from './readChain.ts'
import { record } from './record.ts'
import { recordedAside, setAside } from './setAside.ts'

export type Ticked =
  /** No intent waits for a payment on this chain; its provider was not asked. */
  | { type: 'idle' }
  /** Read up to the head. */
  | ({ type: 'current' } & Read)
  /** Read a part of what there is. */
  | ({ type: 'catching_up' } & Read)
  | ProviderBehind

type Read = Pick<ChainRead, 'skipped'> & {
  readonly known: Known
  /** Transactions that no reading waits for any more. */
  readonly setAside: readonly SetAside[]
  /** Transfers that earlier readings of the same blocks were not shown. */
  readonly foundLate: number
  /** What the reading changed. */
  readonly events: readonly NewEvent[]
}

/**
 * Reads what is new on a chain and records it. Reading the same blocks again changes nothing.
 *
 * @throws {LeaseLost} when another process follows the chain by now
 * @throws {RpcError} when the provider fails; nothing is recorded then
 */
export async function tick(context: ReadContext, known: Known): Promise<Ticked> {
  const { db, lease, traced = untracedWork } = context
  const cursor = await renewLease(db.pool, lease)
  const watch = await readWatch(db.pool, lease.chainId, known.watch)
  if (!watch) return { type: 'idle' }
  return traced((note) => readAndRecord(context, known, { cursor, watch, note }))
}

async function readAndRecord(
  context: ReadContext,
  known: Known,
  { cursor, watch, note }: { cursor: Cursor; watch: Watch; note: Note },
): Promise<Ticked> {
  const { db, lease } = context
  const read = await readChain(context, known, cursor, watch)
  if (read.type === 'provider_behind') {
    note({ 'payment_intents.block.head': Number(read.head) }, read.type)
    return read
  }
  const { reading, skipped } = read
  const { scanned, head } = reading
  note({
    'payment_intents.block.read_to': Number(scanned.to),
    'payment_intents.block.new': Number(scanned.to - (cursor.scannedTo ?? scanned.to)),
    'payment_intents.block.head': Number(head),
    'payment_intents.block.lag': Number(head - scanned.to),
  })
  const recorded = await record(db, lease, reading, context.now())
  note({ 'payment_intents.events': recorded.events.length })
  setAside(known.aside, reading.setAside, context.now())
  recordedAside(known.aside, reading.readAfterAll)
  return {
    type: read.isCurrent && !recorded.moreOverdue ? 'current' : 'catching_up',
    known: {
      ...known,
      window: reading.reconciled.window,
      watch,
      deepTo: read.deepTo,
      depthFrom: reading.depthFrom,
      // What has just changed may have run out.
      cleanedAt: recorded.changed ? null : minuteOf(reading.scanned),
    },
    setAside: reading.setAside,
    skipped,
    foundLate: reading.foundLate,
    events: recorded.events,
  }
}
