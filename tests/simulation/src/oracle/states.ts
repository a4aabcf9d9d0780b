import type { Hex } from 'viem'
import type { Block, Branch } from '../chain/chain.ts'
import type { Decision, Promised } from './knowledge.ts'
import { isDust, total, withoutDust } from './withoutDust.ts'

export type Credited = {
  /** The row's id. */
  readonly id: string
  readonly block: Block
  readonly logIndex: number
  readonly amount: bigint
  readonly txHash: Hex
  /** The rail it came by. */
  readonly rail: string
}

/**
 * The shortest run of transfers, in the order of the chain, that pays an intent: its price by transfers that came on time, or the settled
 * amount, by any transfers.
 */
export function payment(
  intent: Promised,
  { canceled, accepted }: Decision,
  transfers: readonly Credited[],
): readonly Credited[] | null {
  if (canceled) return null
  const inTime = transfers.filter(
    ({ block }) => accepted !== null || block.timestamp <= intent.expiresAt,
  )
  const counting = [...withoutDust(intent, accepted, inTime)].sort(
    (a, b) => Number(a.block.number - b.block.number) || a.logIndex - b.logIndex,
  )
  let sum = 0n
  for (const [index, transfer] of counting.entries()) {
    sum += transfer.amount
    if (sum >= (accepted ?? intent.amount)) return counting.slice(0, index + 1)
  }
  return null
}

/** The transfers with the confirmations that an intent requires, on a branch. */
export function deepOn(
  branch: Branch,
  intent: Promised,
  transfers: readonly Credited[],
): readonly Credited[] {
  return transfers.filter(
    ({ block }) =>
      branch[Number(block.number)]?.hash === block.hash &&
      branch.length - Number(block.number) >= intent.confirmations,
  )
}

/**
 * Whether the chain's taking back of transfers was reported right: `reversed` when it undid a payment that was settled,
 * else `reorged`; one event for all that are taken back together, of each kind. Dust is not reported, unless it was what
 * completed the payment.
 *
 * @param before all that was credited
 */
export function isReportedCorrectly(
  reported: readonly string[],
  orphaned: readonly Credited[],
  { intent, before, accepted, settled }: Before,
): boolean {
  const solid = orphaned.filter((transfer) => !isDust(intent, transfer))
  // Losing one transfer first may turn those that had completed the payment into dust, or the other way round.
  const unchanged = before.filter(
    (transfer) => !isDust(intent, transfer) && !orphaned.includes(transfer),
  )
  const due = accepted ?? intent.amount
  const most = total(before) >= due && total(unchanged) < due ? orphaned : solid
  if (reported.length < Math.min(1, solid.length) || reported.length > most.length) return false
  const reversals = reported.filter((type) => type === 'payment_intent.reversed').length
  const undone = settled?.filter(({ id }) => orphaned.some((transfer) => transfer.id === id)) ?? []
  // If another transfer made up for a loss at first, the next loss can undo that.
  return undone.length > 0 ? reversals >= 1 : reversals === 0
}

type Before = {
  readonly intent: Promised
  readonly before: readonly Credited[]
  readonly accepted: bigint | null
  readonly settled: readonly Credited[] | null
}

export type State = {
  readonly status: string
  readonly exceptions: readonly string[]
  readonly received: bigint
  readonly txHash: Hex | null
}

type Now = {
  /** The timestamp of the newest block that was read, Unix seconds. */
  readonly timestamp: number
  readonly succeededBefore: boolean
  /** Everything has had the time that it needs. */
  readonly settled: boolean
}

/** Every way in which an intent's state differs from the states page, based on its credited transfers. */
export function faultsOf(
  intent: Promised,
  decision: Decision,
  state: State,
  credited: readonly Credited[],
  now: Now,
): string[] {
  const faults = faultsUnder(intent, decision, state, credited, now)
  if (!decision.lapsed || faults.length === 0) return faults
  const anew = faultsUnder(intent, { ...decision, accepted: null }, state, credited, now)
  return anew.length === 0 ? anew : faults
}

function faultsUnder(
  intent: Promised,
  decision: Decision,
  state: State,
  credited: readonly Credited[],
  now: Now,
): string[] {
  const faults: string[] = []
  const expect = (truth: boolean, fault: string) => {
    if (!truth) faults.push(fault)
  }
  const { status, exceptions } = state
  const has = (exception: string) => exceptions.includes(exception)
  const isLate = ({ block }: Credited) => decision.canceled || block.timestamp > intent.expiresAt
  const solid = withoutDust(intent, decision.accepted, credited)
  const sum = total(solid)
  const paid = payment(intent, decision, credited)

  expect(state.received === sum, `received ${state.received}, credited ${sum}`)
  expect(
    solid.length === 0
      ? state.txHash === null
      : solid.some(({ txHash }) => txHash === state.txHash),
    `tx_hash ${state.txHash} is no credited transaction`,
  )
  if (paid) {
    const counted = total(paid)
    const fine = status === 'succeeded' || (!now.settled && status === 'pending_confirmations')
    expect(fine, `paid, but ${status}`)
    expect(!now.settled || !has('reorged'), 'paid and settled, but reorged')
    // A settled intent keeps the exceptions it had until it was settled.
    const isFinal = decision.accepted === null || (status === 'succeeded' && !has('reorged'))
    if (isFinal) {
      expect(has('underpaid') === counted < intent.amount, 'underpaid is wrong')
      expect(has('late') === paid.some(isLate), 'late is wrong')
    }
    if (isFinal && !has('reorged')) {
      expect(has('overpaid') === counted > intent.payable || has('multiple'), 'overpaid is wrong')
      expect(has('multiple') === solid.length > paid.length, 'multiple is wrong')
    }
    return faults
  }
  if (now.succeededBefore && status === 'succeeded') {
    expect(has('reorged'), 'its payment is gone, but not reported')
    return faults
  }
  const open = now.timestamp <= intent.expiresAt ? 'requires_payment' : 'expired'
  const expected = decision.canceled ? 'canceled' : open
  expect(status === expected, `not paid, so ${expected}, but ${status}`)
  const onTime = solid.some((transfer) => !isLate(transfer))
  const late = solid.some(isLate)
  expect(has('underpaid') === onTime, `underpaid: ${has('underpaid')}, on time: ${onTime}`)
  expect(has('late') === late, `late: ${has('late')}, came late: ${late}`)
  expect(!has('overpaid') && !has('multiple'), 'not paid, but more than paid')
  return faults
}
