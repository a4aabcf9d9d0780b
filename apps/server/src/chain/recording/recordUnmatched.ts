import { chainFactsOf } from '@payment-intents/contract'
import {
  type Binding,
  dustUnits,
  presentTransfer,
  reasonWith,
  type Suggestion,
  type UnmatchedReason,
} from '@payment-intents/core'
import { updateAttentionOfTransfers } from '../../store/attention/updateAttentionOfTransfers.ts'
import type { Queryable } from '../../store/connection/connect.ts'
import type { NewEvent } from '../../store/events/events.ts'
import { findSuggestions, insertSuggestions } from '../../store/transfers/suggestions.ts'
import type { InsertedTransfer } from '../../store/transfers/transfers.ts'

/** Above this number of dust transfers to one wallet in a poll, one event reports them all. */
const maxDustEvents = 10

type Unmatched = Omit<InsertedTransfer, 'merchantId' | 'binding'> & {
  readonly merchantId: string
  readonly binding: Extract<Binding, { type: 'unmatched' }>
  /** All the dust that its event reports, itself included; null if the event reports this transfer alone. */
  readonly dust: { readonly count: number; readonly units: bigint } | null
}

/**
 * Stores suggestions for unmatched transfers, and wakes the checkouts of open intents with a near miss.
 *
 * @returns the events that report them to their merchants
 */
export async function recordUnmatched(
  db: Queryable,
  chainId: number,
  inserted: readonly InsertedTransfer[],
  now: number,
): Promise<NewEvent[]> {
  const unmatched = groupDust(inserted)
  const explainable = unmatched.filter(({ binding, dust }) => !dust && mayPayIntent(binding.reason))
  const suggestionsByTransfer = await findSuggestions(db, chainId, explainable)
  const explained = unmatched.map((unmatched) => {
    const suggestions = suggestionsByTransfer.get(unmatched.id) ?? []
    return { ...unmatched, suggestions, reason: reasonWith(unmatched.binding, suggestions) }
  })
  await insertSuggestions(
    db,
    explained.map(({ id, reason, suggestions }) => ({ transferId: id, reason, suggestions })),
  )
  const isNotDust = ({ amount }: Unmatched) => amount >= dustUnits
  await updateAttentionOfTransfers(
    db,
    unmatched.filter(isNotDust).map(({ id }) => id),
  )
  return explained.map((item) => toEvent(item, now))
}

function mayPayIntent(reason: UnmatchedReason): boolean {
  return reason !== 'wrong_token' && reason !== 'wrong_chain'
}

/** The transfers to report: much dust to one wallet is grouped under its first transfer. */
function groupDust(inserted: readonly InsertedTransfer[]): Unmatched[] {
  const all = inserted.flatMap(({ binding, merchantId, ...transfer }) =>
    merchantId !== null && binding.type === 'unmatched'
      ? [{ ...transfer, merchantId, binding, dust: null }]
      : [],
  )
  const isDust = ({ amount }: Unmatched) => amount < dustUnits
  const byWallet = Map.groupBy(all.filter(isDust), ({ to }) => to)
  return all.flatMap((item): Unmatched[] => {
    const dust = isDust(item) ? (byWallet.get(item.to) ?? []) : []
    if (dust.length <= maxDustEvents) return [item]
    if (dust[0] !== item) return []
    const units = dust.reduce((sum, { amount }) => sum + amount, 0n)
    return [{ ...item, dust: { count: dust.length, units } }]
  })
}

function toEvent(
  {
    dust,
    reason,
    suggestions,
    ...transfer
  }: Unmatched & { reason: UnmatchedReason; suggestions: readonly Suggestion[] },
  now: number,
): NewEvent {
  const facts = chainFactsOf(transfer.chainId)
  const shown = presentTransfer(
    {
      ...transfer,
      reason,
      suggestions,
      intentId: null,
      boundBy: null,
      orphaned: false,
      seenAt: now,
    },
    facts,
  )
  const digest = dust && { dust: { count: dust.count, amount_units: Number(dust.units) } }
  return {
    merchantId: transfer.merchantId,
    mode: facts.mode,
    type: 'transfer.unmatched',
    intentId: null,
    transferId: transfer.id,
    refundId: null,
    paymentLink: null,
    sequence: 1,
    object: JSON.stringify({ ...shown, ...digest }),
  }
}
