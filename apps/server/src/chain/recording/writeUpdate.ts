import { type Address, chainFactsOf } from '@payment-intents/contract'
import {
  type Applied,
  applyFacts,
  applyWithPlaces,
  authorizationKey,
  type Binding,
  bind,
  type Credit,
  type Fact,
  holdsPlace,
  type Intent,
  isPaid,
  type ObservedTransaction,
  referencedCalls,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { clearAttention } from '../../store/attention/attention.ts'
import {
  endAuthorizations,
  type UsedAuthorization,
} from '../../store/authorizations/endAuthorizations.ts'
import { replaceHeaders } from '../../store/chains/blocks.ts'
import { advanceCursor, advanceRescan, type Lease } from '../../store/chains/cursors.ts'
import {
  type DeferredTransaction,
  deleteDeferred,
  upsertDeferred,
} from '../../store/chains/deferredTransactions.ts'
import { forget } from '../../store/chains/forget.ts'
import { type Db, type Queryable, transaction } from '../../store/connection/connect.ts'
import type { NewEvent } from '../../store/events/events.ts'
import { newId } from '../../store/lists/ids.ts'
import { writeChanges } from '../../store/payment-intents/changeIntents.ts'
import { lowerSinceBlock } from '../../store/payment-intents/reservations.ts'
import { type FailedIntents, lockForPoll } from '../../store/payment-intents/settling.ts'
import {
  endClosing,
  findHolders,
  type LockedLink,
  lockLinks,
  remainingPlaces,
  settlePlaces,
} from '../../store/payment-links/places.ts'
import { lockRefunds } from '../../store/refunds/refunds.ts'
import { findDueRefunds, findRefundsByNonces } from '../../store/refunds/settlingRefunds.ts'
import { findCandidates } from '../../store/transfers/candidates.ts'
import {
  type BoundTransfer,
  type CanonicalTransfer,
  type InsertedTransfer,
  insertTransfers,
  logKey,
  orphanTransfers,
} from '../../store/transfers/transfers.ts'
import { type Reconciled, windowSize } from '../polling/reconcile.ts'
import type { RereadProgress } from '../polling/reread.ts'
import type { ScannedTransaction } from '../polling/scan.ts'
import { recordRefunds } from './recordRefunds.ts'
import { reportUnmatched } from './reportUnmatched.ts'

/** The result of one poll, to be recorded. */
export type ChainUpdate = {
  readonly reconciled: Exclude<Reconciled, { type: 'behind' }>
  /** The first block that a reorg may have replaced since it was read; null: none. */
  readonly reorgedFrom: bigint | null
  /** The cursor after the poll; `timestamp` is the chain's clock, Unix seconds. */
  readonly scanned: { readonly to: bigint; readonly timestamp: number }
  /** Whether the cursor advances; false while the provider is behind it. */
  readonly advancesCursor: boolean
  /** Whether a nonce of a refund is watched. */
  readonly watchesRefunds: boolean
  /** The chain's newest block. */
  readonly head: bigint
  /** The block from which depth counts; null: not known. */
  readonly depthFrom: bigint | null
  readonly reread: RereadProgress
  /** Transfers that earlier polls of the same blocks did not return. */
  readonly delayedTransfers: number
  readonly transactions: readonly ScannedTransaction[]
  /** Transactions that could not be read. */
  readonly deferred: readonly DeferredTransaction[]
  /** Transactions that were deferred, and were read now or removed by a reorg. */
  readonly resolved: readonly Hex[]
  readonly orphaned: readonly CanonicalTransfer[]
  /** Intents that could not be read, and why. */
  readonly failed: FailedIntents
  readonly proven: ReadonlySet<string>
  /** Whether to delete expired rows. */
  readonly deletesExpired: boolean
}

/** The result of recording an update. */
export type WriteResult = {
  readonly events: readonly NewEvent[]
  /** Whether an intent changed. */
  readonly changed: boolean
  /** Intents whose deadline has passed, up to the limit of one poll. */
  readonly overdue: number
}

/** A poll, or a part of it. */
export type Part = {
  readonly transactions: readonly ScannedTransaction[]
  readonly orphaned: readonly CanonicalTransfer[]
  /** Changes only these of the intents that wait for depth or have expired; null: all. */
  readonly due: readonly string[] | null
  /** The same for refunds. */
  readonly dueRefunds: readonly string[] | null
  /** Intents that the poll does not change. */
  readonly skippedIntents: ReadonlySet<string>
}

/** The maximum of intents that one poll expires: it takes far less time than a lease lasts. */
export const maxOverdue = 2_000

/**
 * Writes a poll: cursor, headers, facts, intents and events in one transaction, under the lease. The number of statements does not depend
 * on the number of transfers.
 *
 * @throws {LeaseLost} and writes nothing when another process follows the chain by now
 */
export function writeUpdate(
  db: Db,
  lease: Lease,
  update: ChainUpdate,
  skippedIntents: ReadonlySet<string>,
  now: number,
): Promise<WriteResult> {
  const { chainId } = lease
  return transaction(db, async (client) => {
    await writeCursor(client, lease, update, now)
    const orphaned = update.orphaned.filter(
      ({ intentId }) => !includesIntent(skippedIntents, intentId),
    )
    const part = {
      transactions: update.transactions,
      orphaned,
      due: null,
      dueRefunds: null,
      skippedIntents,
    }
    const written = await writePart(client, chainId, update, part, now)
    const { timestamp } = update.scanned
    if (update.deletesExpired) {
      await forget(client, { chainId, timestamp })
      await endClosing(client)
    }
    return written
  })
}

/** Writes how far the chain has been read. @throws {LeaseLost} */
export async function writeCursor(
  client: Queryable,
  lease: Lease,
  update: ChainUpdate,
  now: number,
): Promise<void> {
  const { chainId } = lease
  const { scanned, reconciled, reorgedFrom } = update
  await advanceCursor(client, lease, cursorOf(update))
  if (update.reread.rescanned) await advanceRescan(client, chainId, update.reread.rescanned)
  await upsertDeferred(client, chainId, update.deferred, now)
  await deleteDeferred(client, chainId, update.resolved)
  await replaceHeaders(client, chainId, {
    keepFrom: scanned.to - BigInt(windowSize) + 1n,
    keepTo: reconciled.type === 'linked' ? reconciled.ancestor : -1n,
    added: reconciled.added,
  })
  if (reorgedFrom !== null) await lowerSinceBlock(client, { chainId, reorgedFrom })
}

export function cursorOf({ scanned, advancesCursor, head, reread, delayedTransfers }: ChainUpdate) {
  return { ...scanned, advancesCursor, head, rereadTo: reread.to, delayedTransfers }
}

/** Writes facts, intents and events, after {@link writeCursor}. */
export async function writePart(
  client: Queryable,
  chainId: number,
  update: ChainUpdate,
  part: Part,
  now: number,
): Promise<WriteResult> {
  const { transactions, skippedIntents } = part
  const namedRefunds = await findRefundsByNonces(client, chainId, noncesOf(transactions))
  const bound = await bindAll(client, chainId, transactions, now)
  const intentIds = new Set(bound.flatMap(({ binding }) => intentOf(binding)))
  for (const id of intentIds) {
    if (skippedIntents.has(id))
      throw new Error(`A transfer of this poll pays ${id}, which is skipped.`)
  }
  const clock = { chainId, timestamp: update.scanned.timestamp }
  const orphanedIds = part.orphaned.map((transfer) => transfer.id)
  const used = usedBy(chainId, transactions)
  const mayChangeRefunds = update.watchesRefunds || orphanedIds.length + namedRefunds.length > 0
  const dueRefunds = mayChangeRefunds
    ? await findDueRefunds(client, {
        ...{ ...clock, orphaned: orphanedIds, due: part.dueRefunds },
        // Includes refunds whose nonce the account used for another transfer.
        named: namedRefunds,
      })
    : []
  // Read the intents before their transfers change: a transition must see each change as a fact.
  const locked = await lockForPoll(client, {
    ...clock,
    bound: [...intentIds, ...dueRefunds.flatMap(({ intentId }) => intentId ?? [])],
    orphaned: orphanedIds,
    used,
    maxOverdue,
    skippedIntents: [...skippedIntents],
    due: part.due,
  })
  const refunds = await lockRefunds(
    client,
    dueRefunds.map(({ id }) => id),
  )
  // Orphan first, or a transfer that was mined again counts twice.
  await orphanTransfers(client, orphanedIds)
  await clearAttention(client, orphanedIds)
  const inserted = await insertTransfers(client, chainId, bound)
  const linkPlaces = await lockPlaces(client, locked.intents)
  const applied = applyUpdate(
    { intents: locked.intents, linkPlaces },
    { ...update, orphaned: part.orphaned },
    inserted,
  )
  // After the intents are saved, so that no suggestion names an intent that this poll has paid.
  const events = await writeChanges(client, applied, now, () =>
    reportUnmatched(client, chainId, inserted, now),
  )
  const refundEvents = await recordRefunds(
    client,
    refunds,
    { ...update, orphanedIds: new Set(orphanedIds) },
    now,
  )
  if (locked.hasAuthorizations || refunds.length > 0) {
    const versions = new Map(locked.intents.map(({ id, version }) => [id, version]))
    // Dust changes an intent's row, but not its version.
    const changed = applied
      .map(({ intent }) => intent)
      .filter(({ id, version }) => version !== versions.get(id))
    await endAuthorizations(client, {
      ...{ ...clock, used, orphaned: orphanedIds },
      locked: locked.intents.map(({ id }) => id),
      refunds: refunds.map(({ id }) => id),
      changed: changed.map(({ id }) => id),
      paid: changed.filter(isPaid).map(({ id }) => id),
    })
  }
  if (linkPlaces.holders !== null) {
    await settlePlaces(
      client,
      locked.intents.map(({ id }) => id),
    )
  }
  const changed = applied.some((applied) => applied.changed) || refundEvents.length > 0
  return { events: [...events, ...refundEvents], changed, overdue: locked.overdue }
}

export function includesIntent(intents: ReadonlySet<string>, intentId: string | null): boolean {
  return intentId !== null && intents.has(intentId)
}

/** The places of the payment links of locked intents. `holders` null: no intent pays a link. */
type LockedPlaces = {
  readonly links: ReadonlyMap<string, LockedLink>
  readonly holders: ReadonlySet<string> | null
}

async function lockPlaces(client: Queryable, intents: readonly Intent[]): Promise<LockedPlaces> {
  const paying = intents.filter(({ paymentLink }) => paymentLink !== null)
  if (paying.length === 0) return { links: new Map(), holders: null }
  const ids = paying.map(({ id }) => id)
  return { links: await lockLinks(client, paying), holders: await findHolders(client, ids) }
}

/** Applies its facts to each intent, in the order of the chain. Intents of one link are applied in the order of their payments. */
function applyUpdate(
  { intents, linkPlaces }: { intents: readonly Intent[]; linkPlaces: LockedPlaces },
  { orphaned, depthFrom, scanned, proven }: ChainUpdate,
  inserted: readonly InsertedTransfer[],
): Applied[] {
  const orphanedIds = new Set(orphaned.map((transfer) => transfer.id))
  const factsByIntent = new Map<string, Fact[]>()
  for (const { binding, ...transfer } of inserted) {
    if (binding.type !== 'bound') continue
    const facts = factsByIntent.get(binding.intentId) ?? []
    factsByIntent.set(binding.intentId, facts)
    facts.push({ type: 'transfer_seen', transfer: { ...transfer, boundBy: binding.by } })
  }
  const headFact: Fact = {
    type: 'head',
    blockNumber: depthFrom,
    timestamp: scanned.timestamp,
    proven,
  }
  const factsOf = (intent: Intent): Fact[] => {
    const orphanedTransfers = intent.transfers.filter((transfer) => orphanedIds.has(transfer.id))
    return [
      ...orphanedTransfers.map(
        (transfer): Fact => ({ type: 'transfer_orphaned', transferId: transfer.id }),
      ),
      ...(factsByIntent.get(intent.id) ?? []),
      headFact,
    ]
  }
  const { links, holders } = linkPlaces
  if (!holders) return intents.map((intent) => applyFacts(intent, factsOf(intent)))
  const positions = new Map([...factsByIntent.keys()].map((id, position) => [id, position]))
  const positionOf = ({ id }: Intent) => positions.get(id) ?? factsByIntent.size
  const usedPlaces = new Map<string, number>()
  return intents
    .toSorted((a, b) => positionOf(a) - positionOf(b))
    .map((intent) => {
      const link = intent.paymentLink ?? ''
      const places = remainingPlaces(links.get(link))
      const used = usedPlaces.get(link) ?? 0
      const isHolding = holders.has(intent.id)
      const remaining = places === null ? null : places - used
      const applied = applyWithPlaces(intent, factsOf(intent), { isHolding, remaining })
      if (!isHolding && holdsPlace(applied.intent, false)) usedPlaces.set(link, used + 1)
      return applied
    })
}

/** The authorizations that payers' transfers of USDC used, each once. */
function usedBy(chainId: number, transactions: readonly ScannedTransaction[]): UsedAuthorization[] {
  const usdc = usdcOf(chainId)
  const used = transactions.flatMap(({ txHash, transfers }) =>
    transfers.flatMap(({ from: authorizer, to: recipient, amount, token, authorizationNonce }) =>
      authorizationNonce && token === usdc
        ? [{ authorizer, nonce: authorizationNonce, recipient, amount, txHash }]
        : [],
    ),
  )
  const byKey = new Map(used.map((item) => [authorizationKey(item.authorizer, item.nonce), item]))
  return [...byKey.values()]
}

function intentOf(binding: Binding): string[] {
  return binding.type === 'bound' ? [binding.intentId] : []
}

/** Binds the transfers of transactions that are not stored yet, in their order. */
async function bindAll(
  client: Queryable,
  chainId: number,
  scanned: readonly ScannedTransaction[],
  now: number,
): Promise<BoundTransfer[]> {
  const observed = scanned.map((transaction) => observe(chainId, transaction))
  const candidates = await findCandidates(client, chainId, observed)
  const credited: Credit[] = []
  const byLog = new Map<string, BoundTransfer>()
  for (const [at, { header }] of scanned.entries()) {
    const transaction = observed[at]
    const candidatesOfTransaction = candidates[at]
    if (!transaction || !candidatesOfTransaction) continue
    const { txHash, blockNumber, timestamp } = transaction
    for (const [index, binding] of bind(transaction, candidatesOfTransaction, credited).entries()) {
      const log = transaction.transfers[index]
      if (!log) continue
      if (binding.type === 'bound') {
        credited.push({ intentId: binding.intentId, amount: log.amount, boundBy: binding.by })
      }
      // Stores a log once, even if the provider returns it in two transactions.
      const key = logKey({ blockHash: header.hash, logIndex: log.logIndex })
      if (byLog.has(key)) continue
      byLog.set(key, {
        ...log,
        ...{ id: newId('tr', now), chainId, txHash, binding },
        ...{ blockNumber, blockHash: header.hash, blockTimestamp: timestamp },
      })
    }
  }
  return [...byLog.values()]
}

/** The nonces of the authorizations that moved their transfers. */
function noncesOf(transactions: readonly ScannedTransaction[]): Hex[] {
  return transactions.flatMap(({ transfers }) =>
    transfers.flatMap(({ authorizationNonce }) => authorizationNonce ?? []),
  )
}

function usdcOf(chainId: number): Address {
  return chainFactsOf(chainId).usdc.toLowerCase() as Address
}

function observe(
  chainId: number,
  { header, ...transaction }: ScannedTransaction,
): ObservedTransaction {
  const undecoded = { ...transaction, token: usdcOf(chainId) }
  const { number: blockNumber, timestamp } = header
  return { ...undecoded, blockNumber, timestamp, calls: referencedCalls(undecoded) }
}
