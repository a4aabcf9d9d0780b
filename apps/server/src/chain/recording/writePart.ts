import { chainFactsOf } from '@payment-intents/contract'
import { authorizationKey, type Intent, isPaid } from '@payment-intents/core'
import type { Hex } from 'viem'
import { clearAttention } from '../../store/attention/attention.ts'
import {
  endAuthorizations,
  type UsedAuthorization,
} from '../../store/authorizations/endAuthorizations.ts'
import type { Queryable } from '../../store/connection/connect.ts'
import type { NewEvent } from '../../store/events/events.ts'
import { writeChanges } from '../../store/payment-intents/changeIntents.ts'
import { lockForPoll } from '../../store/payment-intents/settling.ts'
import { findHolders, lockLinks, updatePlaces } from '../../store/payment-links/places.ts'
import { lockRefunds } from '../../store/refunds/refunds.ts'
import { findDueRefunds, findRefundsByNonces } from '../../store/refunds/settlingRefunds.ts'
import {
  type CanonicalTransfer,
  insertTransfers,
  orphanTransfers,
} from '../../store/transfers/transfers.ts'
import type { ScannedTransaction } from '../polling/scan.ts'
import { applyUpdate, type LockedPlaces } from './applyUpdate.ts'
import { bindTransfers } from './bindTransfers.ts'
import { recordRefunds } from './recordRefunds.ts'
import { recordUnmatched } from './recordUnmatched.ts'
import type { ChainUpdate } from './writeUpdate.ts'

/** A poll, or a part of it. */
export type Part = {
  readonly transactions: readonly ScannedTransaction[]
  readonly orphaned: readonly CanonicalTransfer[]
  /** The intents to change among those that wait for depth or have expired; null: all. */
  readonly due: readonly string[] | null
  /** The refunds to change among those that wait; null: all. */
  readonly dueRefunds: readonly string[] | null
  /** Intents that the poll does not change. */
  readonly skippedIntents: ReadonlySet<string>
}

/** The result of recording an update. */
export type WriteResult = {
  readonly events: readonly NewEvent[]
  /** Whether an intent changed. */
  readonly changed: boolean
  /** Intents whose deadline has passed, up to the limit of one poll. */
  readonly overdue: number
}

/** The most intents that one poll expires, which takes far less time than a lease lasts. */
export const maxOverdue = 2_000

/** Writes facts, intents and events, after `writeCursor`. */
export async function writePart(
  client: Queryable,
  chainId: number,
  update: ChainUpdate,
  part: Part,
  now: number,
): Promise<WriteResult> {
  const { transactions, skippedIntents } = part
  const namedRefunds = await findRefundsByNonces(client, chainId, noncesOf(transactions))
  const bound = await bindTransfers(client, chainId, transactions, now)
  const intentIds = new Set(
    bound.flatMap(({ binding }) => (binding.type === 'bound' ? [binding.intentId] : [])),
  )
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
    recordUnmatched(client, chainId, inserted, now),
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
    await updatePlaces(
      client,
      locked.intents.map(({ id }) => id),
    )
  }
  const changed = applied.some((applied) => applied.changed) || refundEvents.length > 0
  return { events: [...events, ...refundEvents], changed, overdue: locked.overdue }
}

/** The nonces of the authorizations that moved their transfers. */
function noncesOf(transactions: readonly ScannedTransaction[]): Hex[] {
  return transactions.flatMap(({ transfers }) =>
    transfers.flatMap(({ authorizationNonce }) => authorizationNonce ?? []),
  )
}

/** The authorizations that payers' transfers of USDC used, each once. */
function usedBy(chainId: number, transactions: readonly ScannedTransaction[]): UsedAuthorization[] {
  const usdc = chainFactsOf(chainId).usdc.toLowerCase()
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

async function lockPlaces(client: Queryable, intents: readonly Intent[]): Promise<LockedPlaces> {
  const paying = intents.filter(({ paymentLink }) => paymentLink !== null)
  if (paying.length === 0) return { links: new Map(), holders: null }
  const ids = paying.map(({ id }) => id)
  return { links: await lockLinks(client, paying), holders: await findHolders(client, ids) }
}
