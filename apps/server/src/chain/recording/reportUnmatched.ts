import { chainFactsOf } from '@payment-intents/contract'
import {
  type Binding,
  presentTransfer,
  reasonWith,
  type Suggestion,
  type UnmatchedReason,
} from '@payment-intents/core'
import type { Queryable } from '../../store/connection/connect.ts'
import type { NewEvent } from '../../store/events/events.ts'
import { findSuggestions, insertSuggestions } from '../../store/transfers/suggestions.ts'
import type { BoundTransfer, StoredTransfer } from '../../store/transfers/transfers.ts'

/** Below a cent: what an attacker sends by the thousand. */
const dustUnits = 10_000n
/** Of dust to one wallet in one reading, more than this is one event. */
const dustEventsAtMost = 10

type Unmatched = {
  readonly transfer: StoredTransfer & { readonly merchantId: string }
  readonly binding: Extract<Binding, { type: 'unmatched' }>
  /** All the dust that its event reports, itself included; null where the event reports this transfer alone. */
  readonly dust: { readonly count: number; readonly units: bigint } | null
}

/**
 * Keeps what unmatched transfers may be for, and wakes the checkouts of those intents.
 *
 * @returns the events that report them to their merchants
 */
export async function reportUnmatched(
  db: Queryable,
  chainId: number,
  stored: readonly (BoundTransfer & { readonly merchantId: string | null })[],
  now: number,
): Promise<NewEvent[]> {
  const unmatched = digested(stored)
  const asked = unmatched.filter(({ binding, dust }) => !dust && mayBeMeant(binding.reason))
  const found = await findSuggestions(
    db,
    chainId,
    asked.map(({ transfer }) => transfer),
  )
  const explained = unmatched.map((one) => {
    const suggestions = found.get(one.transfer.id) ?? []
    return { ...one, suggestions, reason: reasonWith(one.binding, suggestions) }
  })
  await insertSuggestions(
    db,
    explained.map(({ transfer, reason, suggestions }) => {
      return { transferId: transfer.id, reason, suggestions }
    }),
  )
  return explained.map((one) => toEvent(one, now))
}

function mayBeMeant(reason: UnmatchedReason): boolean {
  return reason !== 'wrong_token' && reason !== 'wrong_chain'
}

/** Whose transfers are to be reported; of much dust to one wallet, the first for all. */
function digested(
  stored: readonly (BoundTransfer & { readonly merchantId: string | null })[],
): Unmatched[] {
  const all = stored.flatMap(({ transfer, binding, merchantId }) =>
    merchantId !== null && binding.type === 'unmatched'
      ? [{ transfer: { ...transfer, merchantId }, binding, dust: null }]
      : [],
  )
  const isDust = ({ transfer }: Unmatched) => transfer.amount < dustUnits
  const byWallet = Map.groupBy(all.filter(isDust), ({ transfer }) => transfer.to)
  return all.flatMap((one): Unmatched[] => {
    const dust = isDust(one) ? (byWallet.get(one.transfer.to) ?? []) : []
    if (dust.length <= dustEventsAtMost) return [one]
    if (dust[0] !== one) return []
    const units = dust.reduce((sum, { transfer }) => sum + transfer.amount, 0n)
    return [{ ...one, dust: { count: dust.length, units } }]
  })
}

function toEvent(
  {
    transfer,
    dust,
    reason,
    suggestions,
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
    sequence: 1,
    object: JSON.stringify({ ...shown, ...digest }),
  }
}
