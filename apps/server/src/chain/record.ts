import { type Address, chainFactsOf } from '@payment-intents/contract'
import {
  type Binding,
  bind,
  type Fact,
  type Intent,
  reasonWith,
  received,
  referencedCalls,
  transition,
} from '@payment-intents/rules'
import { findCandidates } from '../db/candidates.ts'
import { replaceHeaders } from '../db/chainBlocks.ts'
import { advanceCursor, type Lease } from '../db/chainCursors.ts'
import { type Db, type Queryable, transaction } from '../db/connect.ts'
import { insertEvents, insertUnmatchedEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { findOverdue, findSettling, lockIntents, saveProgress } from '../db/paymentIntents.ts'
import { countFromReplaced, releasePayables } from '../db/reservations.ts'
import { findSuggestions, insertSuggestions } from '../db/suggestions.ts'
import {
  findCredits,
  insertTransfer,
  orphanTransfers,
  type PlacedTransfer,
  type StoredTransfer,
} from '../db/transfers.ts'
import { forgetWallets } from '../db/watchedWallets.ts'
import { type Reconciled, windowSize } from './reconcile.ts'
import type { ScannedTransaction } from './scan.ts'

/** All that one tick learned. */
export type Reading = {
  readonly reconciled: Exclude<Reconciled, { type: 'behind' }>
  /** The first block that is, or may be, another than the one read before at its height; null: none is. */
  readonly replacedFrom: bigint | null
  /** Everything up to here has been read; `timestamp` is the chain's clock, Unix seconds. */
  readonly scanned: { readonly to: bigint; readonly timestamp: number }
  /** The chain's newest block, from which depth counts. */
  readonly head: bigint
  readonly transactions: readonly ScannedTransaction[]
  readonly orphaned: readonly PlacedTransfer[]
  readonly proven: ReadonlySet<string>
}

/**
 * Writes a reading: cursor, headers, facts, intents and events in one transaction, by the lease's holder alone.
 *
 * @throws {LeaseLost} and writes nothing when another process follows the chain by now
 */
export async function record(db: Db, lease: Lease, reading: Reading, now: number): Promise<void> {
  const { chainId } = lease
  const { scanned, reconciled, replacedFrom } = reading
  await transaction(db, async (client) => {
    await advanceCursor(client, lease, { ...scanned, head: reading.head })
    await replaceHeaders(client, chainId, {
      keepFrom: scanned.to - BigInt(windowSize) + 1n,
      keepTo: reconciled.type === 'linked' ? reconciled.ancestor : -1n,
      added: reconciled.added,
    })

    if (replacedFrom !== null) await countFromReplaced(client, { chainId, replacedFrom })
    const bound: BoundTransfer[] = []
    for (const observed of reading.transactions) {
      bound.push(...(await bindTransaction(client, chainId, observed, bound, now)))
    }
    const clock = { chainId, timestamp: scanned.timestamp }
    const gone = reading.orphaned.map((transfer) => transfer.id)
    // Read only now: what was unmatched when the chain was read may have been assigned since.
    const lost = await findCredits(client, gone)
    // Read before their transfers change: a transition learns of every change by a fact.
    const intents = await lockIntents(client, [
      ...new Set([
        ...lost.map(({ intentId }) => intentId),
        ...bound.flatMap(({ binding }) => (binding.type === 'bound' ? binding.intentId : [])),
        ...(await findSettling(client, chainId)),
        // The rest comes with the next readings, at their usual pace: nobody waits for an intent to expire.
        ...(await findOverdue(client, clock)),
      ]),
    ])

    const facts = new Map(intents.map((intent) => [intent.id, [] as Fact[]]))
    // First what is gone: a transaction that was mined again elsewhere must not count twice in between.
    await orphanTransfers(client, gone)
    for (const { intentId, transferId } of lost) {
      facts.get(intentId)?.push({ type: 'transfer_orphaned', transferId })
    }
    const unmatched: Unmatched[] = []
    for (const { transfer, binding } of bound) {
      const stored = await insertTransfer(client, transfer, binding)
      if (!stored) continue
      const { id, merchantId } = stored
      if (binding.type === 'bound') {
        const credited = { ...transfer, id, boundBy: binding.by }
        facts.get(binding.intentId)?.push({ type: 'transfer_seen', transfer: credited })
      } else if (merchantId) {
        unmatched.push({ transfer: { ...transfer, id, merchantId }, binding })
      }
    }

    const head: Fact = {
      type: 'head',
      blockNumber: reading.head,
      timestamp: scanned.timestamp,
      proven: reading.proven,
    }
    for (const intent of intents) {
      await apply(client, intent, [...(facts.get(intent.id) ?? []), head], now)
    }
    // After the intents: one that this reading has paid is suggested for nothing.
    for (const { transfer, binding } of unmatched) {
      await reportUnmatched(client, transfer, binding, now)
    }
    await releasePayables(client, clock)
    await forgetWallets(client, clock)
  })
}

type Unmatched = {
  readonly transfer: StoredTransfer & { merchantId: string }
  readonly binding: Extract<Binding, { type: 'unmatched' }>
}

type BoundTransfer = { readonly transfer: StoredTransfer; readonly binding: Binding }

async function bindTransaction(
  client: Queryable,
  chainId: number,
  observed: ScannedTransaction,
  earlier: readonly BoundTransfer[],
  now: number,
): Promise<BoundTransfer[]> {
  const { header, transfers, txHash } = observed
  const token = chainFactsOf(chainId).usdc.toLowerCase() as Address
  const transaction = {
    ...observed,
    token,
    blockNumber: header.number,
    timestamp: header.timestamp,
    transfers: transfers.map((log) => ({ ...log, wrongToken: log.token !== token })),
  }
  const references = [
    ...referencedCalls(transaction).map((call) => call.reference),
    ...transfers.flatMap((log) => log.authorizationNonce ?? []),
  ]
  const candidates = await findCandidates(client, {
    ...{ chainId, txHash, references, transfers },
    timestamp: header.timestamp,
    // What came earlier in this reading is not in the database yet.
    credited: earlier.flatMap(({ transfer: { amount }, binding }) =>
      binding.type === 'bound' ? [{ intentId: binding.intentId, amount, boundBy: binding.by }] : [],
    ),
  })
  const bindings = bind(transaction, candidates)
  return transfers.map((transfer, index) => ({
    binding: bindings[index] ?? { type: 'unmatched', reason: 'no_intent' },
    transfer: {
      id: newId('tr', now),
      chainId,
      blockNumber: header.number,
      blockHash: header.hash,
      blockTimestamp: header.timestamp,
      txHash,
      logIndex: transfer.logIndex,
      from: transfer.from,
      to: transfer.to,
      amount: transfer.amount,
      token: transfer.token,
    },
  }))
}

/** Stores what a transfer may be for, and reports it to its merchant and to the checkouts of those intents. */
async function reportUnmatched(
  client: Queryable,
  transfer: Unmatched['transfer'],
  binding: Unmatched['binding'],
  now: number,
): Promise<void> {
  const isOther = binding.reason === 'wrong_token' || binding.reason === 'wrong_chain'
  const suggestions = isOther ? [] : await findSuggestions(client, transfer)
  const reason = reasonWith(binding, suggestions)
  await insertSuggestions(client, transfer.id, reason, suggestions)
  await insertUnmatchedEvent(client, transfer, { reason, suggestions }, now)
}

/** Moves one intent by its facts; all events of one fact tell how the intent stood after it. */
async function apply(
  client: Queryable,
  intent: Intent,
  facts: readonly Fact[],
  now: number,
): Promise<void> {
  let current = intent
  for (const fact of facts) {
    const outcome = transition(current, fact)
    if (outcome.type !== 'changed') continue
    current = outcome.intent
    await insertEvents(client, current, outcome.events, now)
  }
  if (current !== intent) await saveProgress(client, current, received(current))
}
