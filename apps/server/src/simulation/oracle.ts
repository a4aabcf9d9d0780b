import type { Address } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Block, Branch, Chain } from './chain.ts'
import type { Transaction } from './transaction.ts'

/** An intent as the merchant was told it at creation. */
export type Promised = {
  readonly id: string
  readonly history: number
  readonly wallet: Address
  readonly amount: bigint
  readonly payable: bigint
  readonly reference: Hex
  readonly confirmations: number
  /** Unix seconds. */
  readonly createdAt: number
  readonly expiresAt: number
  /** The newest block that had been read then; Unix seconds. */
  readonly readTo: number
  /** Orders the creation among the blocks. */
  readonly moment: number
}

/** Equal transfers of one transaction: which of them pays what cannot be told apart, and need not be. */
export type Group = {
  readonly transaction: Transaction
  readonly block: Block
  readonly to: Address
  readonly amount: bigint
  readonly count: number
}

/** Whom one transfer may be credited to: intents' ids, or null for nobody. */
export type Slot = ReadonlySet<string | null>

export type Judgement = {
  /** Each transfer of the group takes one slot; there can be more slots than transfers. */
  readonly slots: readonly Slot[]
  /** Nobody had to look at the wallet then, so the group may be unknown. */
  readonly optional: boolean
}

/** A rule of the binding order: the slots it fills, for at most `group.count` transfers, or more to choose from. */
type Rule = (group: Group, world: Knowledge) => readonly Slot[]

export type Knowledge = { readonly chain: Chain; readonly intents: readonly Promised[] }

const blockSeconds = 2
const lateWindowSeconds = 24 * 60 * 60
/** Blocks that may be read for the first time up to this much after they were announced. */
const rereadBlocks = 12n

/** In the order of precedence. The first rule with something to say about a transfer decides. */
const rules: readonly Rule[] = [byReference, byPayableAmount]

export function judge(group: Group, world: Knowledge): Judgement {
  const slots: Slot[] = []
  for (const rule of rules) {
    if (slots.length >= group.count) break
    slots.push(...rule({ ...group, count: group.count - slots.length }, world))
  }
  while (slots.length < group.count) slots.push(new Set([null]))
  return { slots, optional: !isWatched(group, world) }
}

/** "A transfer call selector ‖ to ‖ amount ‖ reference whose to and amount equal one of the transaction's own logs"; each is used once. */
function byReference(group: Group, { intents }: Knowledge): Slot[] {
  return group.transaction.parts.flatMap((part) => {
    if (!part.called || part.to !== group.to || part.amount !== group.amount) return []
    const intent = intents.find(({ reference }) => reference === part.reference)
    if (intent?.wallet !== group.to) return []
    const certain = group.block.timestamp <= until(intent)
    return [new Set(certain ? [intent.id] : [intent.id, null])]
  })
}

/**
 * "Unique per wallet while the intent is open and until its late window ends." What was mined before the
 * creation and not read by then may be taken for its payment, or not.
 */
function byPayableAmount(group: Group, world: Knowledge): Slot[] {
  const { timestamp, moment } = group.block
  const holders = world.intents.filter(
    (intent) =>
      intent.wallet === group.to &&
      intent.payable === group.amount &&
      timestamp >= Math.min(intent.createdAt - blockSeconds, intent.readTo + 1) &&
      timestamp <= until(intent),
  )
  if (holders.length === 0) return []
  const certain =
    holders.length === 1 &&
    holders.every(
      (holder) =>
        timestamp > Math.max(holder.createdAt, holder.readTo) &&
        moment > holder.moment &&
        !perhapsReleased(group.block, until(holder), world.chain),
    )
  const slot: Slot = new Set([...holders.map(({ id }) => id), ...(certain ? [] : [null])])
  return Array.from({ length: group.count }, () => slot)
}

/** Whether somebody waits for payments to this wallet in this block. */
function isWatched(group: Group, { intents, chain }: Knowledge): boolean {
  return intents.some(
    (intent) =>
      intent.wallet === group.to &&
      group.block.moment > intent.moment &&
      group.block.timestamp <= until(intent) &&
      !perhapsReleased(group.block, until(intent), chain),
  )
}

/**
 * Whether the end of a late window may have been read before this block was: it was told late, or became
 * part of the chain, for the first time or again, after that.
 */
function perhapsReleased(block: Block, time: number, chain: Chain): boolean {
  for (const other of chain.blocks.values()) {
    if (other.timestamp <= time) continue
    return chain.since(block) > other.moment || other.number - block.number <= rereadBlocks
  }
  return false
}

function until(intent: Promised): number {
  return intent.expiresAt + lateWindowSeconds
}

export type Credited = {
  readonly block: Block
  readonly logIndex: number
  readonly amount: bigint
  readonly txHash: Hex
}

/** The shortest run of transfers that came on time and together pay the amount, in the order of the chain. */
function payment(intent: Promised, credited: readonly Credited[]): readonly Credited[] | null {
  const onTime = credited.filter(({ block }) => block.timestamp <= intent.expiresAt)
  onTime.sort((a, b) => Number(a.block.number - b.block.number) || a.logIndex - b.logIndex)
  let sum = 0n
  for (const [index, transfer] of onTime.entries()) {
    sum += transfer.amount
    if (sum >= intent.amount) return onTime.slice(0, index + 1)
  }
  return null
}

/** Whether a branch pays an intent, every transfer with the confirmations it asks for. */
export function isSettledOn(
  branch: Branch,
  intent: Promised,
  credited: readonly Credited[],
): boolean {
  const deep = credited.filter(
    ({ block }) =>
      branch[Number(block.number)]?.hash === block.hash &&
      branch.length - Number(block.number) >= intent.confirmations,
  )
  return payment(intent, deep) !== null
}

export type Standing = {
  readonly status: string
  readonly exceptions: readonly string[]
  readonly received: bigint
  readonly txHash: Hex | null
}

/** Every way in which an intent does not stand as the states page says, given what it is credited with. */
export function faultsOf(
  intent: Promised,
  standing: Standing,
  credited: readonly Credited[],
  now: { timestamp: number; succeededBefore: boolean; settled: boolean },
): string[] {
  const faults: string[] = []
  const expect = (truth: boolean, fault: string) => {
    if (!truth) faults.push(fault)
  }
  const { status, exceptions } = standing
  const has = (exception: string) => exceptions.includes(exception)
  const sum = credited.reduce((total, { amount }) => total + amount, 0n)
  const paid = payment(intent, credited)
  const late = credited.some(({ block }) => block.timestamp > intent.expiresAt)
  const onTime = credited.some(({ block }) => block.timestamp <= intent.expiresAt)

  expect(standing.received === sum, `received ${standing.received}, credited ${sum}`)
  expect(
    credited.length === 0
      ? standing.txHash === null
      : credited.some(({ txHash }) => txHash === standing.txHash),
    `tx_hash ${standing.txHash} is no credited transaction`,
  )
  if (paid) {
    const counted = paid.reduce((total, { amount }) => total + amount, 0n)
    const fine = status === 'succeeded' || (!now.settled && status === 'pending_confirmations')
    expect(fine, `paid, but ${status}`)
    expect(!has('underpaid'), 'paid, but underpaid')
    expect(!now.settled || !has('reorged'), 'paid and settled, but reorged')
    if (!has('reorged')) {
      expect(has('overpaid') === counted > intent.payable || has('multiple'), 'overpaid is wrong')
      expect(has('overpaid') || has('multiple') || sum <= intent.payable, 'more came, untold')
    }
    return faults
  }
  if (now.succeededBefore && status === 'succeeded') {
    expect(has('reorged'), 'its payment is gone, but not told')
    return faults
  }
  const open = now.timestamp <= intent.expiresAt ? 'requires_payment' : 'expired'
  expect(status === open, `not paid, so ${open}, but ${status}`)
  expect(has('underpaid') === onTime, `underpaid: ${has('underpaid')}, on time: ${onTime}`)
  expect(has('late') === late, `late: ${has('late')}, came late: ${late}`)
  expect(!has('overpaid') && !has('multiple'), 'not paid, but more than paid')
  return faults
}
