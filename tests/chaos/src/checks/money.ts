import {
  type ChainLog,
  type Intent,
  paymentKey,
  type Transfer,
  type TrialRecord,
} from '../trialRecord.ts'
import type { Violation } from '../violation.ts'

/** I3: what has succeeded is paid in the canonical chain, and was as deep as required when that was announced. */
export function unpaidSuccesses(record: TrialRecord): Violation[] {
  const { chain, merchants, confirmationsRequired } = record
  const meant = logsByIntent(record)
  const violations: Violation[] = []
  for (const intent of merchants.flatMap(({ intents }) => intents)) {
    if (intent.status !== 'succeeded' || intent.exceptions.includes('reorged')) continue
    const deep = (meant.get(intent.id) ?? []).filter(
      ({ blockNumber }) => chain.head - blockNumber + 1 >= confirmationsRequired,
    )
    if (sum(deep) >= BigInt(intent.amount_units)) continue
    const about = `${intent.id} succeeded with ${sum(deep)} of ${intent.amount_units}`
    violations.push({ invariant: 'I3', about })
  }
  const inclusions = Map.groupBy(chain.inclusions, ({ txHash }) => txHash)
  for (const { type, data } of merchants.flatMap(({ events }) => events)) {
    if (type !== 'payment_intent.succeeded') continue
    const intent = data.object as Intent
    const wasDeep = inclusions
      .get(String(intent.tx_hash))
      ?.some(({ block, deepestHead }) => deepestHead - block + 1 >= confirmationsRequired)
    if (wasDeep && intent.amount_received_units >= intent.amount_units) continue
    violations.push({ invariant: 'I3', about: `${intent.id} was announced too early` })
  }
  return violations
}

/** I4: every transfer to a wallet of a merchant is listed, credited or unmatched, and what is unmatched has its event. */
export function unreportedTransfers({ chain, merchants }: TrialRecord): Violation[] {
  return merchants.flatMap(({ wallet, transfers, events }) => {
    const listed = new Map(
      transfers.filter(isCanonical).map((transfer) => [keyOf(transfer), transfer]),
    )
    const missing = chain.logs
      .filter(({ to }) => isSame(to, wallet))
      .filter((log) => !isListedAs(log, listed.get(`${log.txHash}:${log.logIndex}`)))
      .map((log): Violation => {
        return { invariant: 'I4', about: `${log.txHash}:${log.logIndex} is not listed as it is` }
      })
    const reports = Map.groupBy(
      events.filter(({ type }) => type === 'transfer.unmatched'),
      ({ data }) => data.object.id,
    )
    const unreported = transfers
      .filter((transfer) => isCanonical(transfer) && transfer.payment_intent === null)
      .filter(({ id }) => reports.get(id)?.length !== 1)
      .map(({ id }): Violation => {
        const count = reports.get(id)?.length ?? 0
        return { invariant: 'I4', about: `${id} is unmatched and has ${count} events` }
      })
    return [...missing, ...unreported]
  })
}

/** I7: a log is credited once, to the intent that its payer meant, and what is credited is what the chain has. */
export function creditViolations(record: TrialRecord): Violation[] {
  const { chain, merchants, payments } = record
  const meant = new Map(payments.map((payment) => [paymentKey(payment), payment.intentId]))
  const logs = new Map(chain.logs.map((log) => [`${log.txHash}:${log.logIndex}`, log]))
  const violations: Violation[] = []
  const complain = (about: string) => violations.push({ invariant: 'I7', about })

  const all = merchants.flatMap(({ transfers }) => transfers).filter(isCanonical)
  for (const [key, listed] of Map.groupBy(all, keyOf)) {
    if (listed.length > 1) complain(`${key} is listed ${listed.length} times`)
    const log = logs.get(key)
    if (!log) {
      complain(`${key} is listed, but not in the chain`)
      continue
    }
    for (const { payment_intent } of listed) {
      const intentId = meant.get(paymentKey(log))
      if (intentId === undefined) complain(`nobody sent ${key}`)
      else if (payment_intent !== null && payment_intent !== intentId) {
        complain(`${key} is credited to ${payment_intent}, and meant ${intentId ?? 'none'}`)
      }
    }
  }
  const credited = Map.groupBy(all, ({ payment_intent }) => payment_intent)
  for (const { id, amount_received_units } of merchants.flatMap(({ intents }) => intents)) {
    const transfers = credited.get(id) ?? []
    const units = transfers.reduce((total, { amount_units }) => total + amount_units, 0)
    if (units === amount_received_units) continue
    complain(`${id} has received ${amount_received_units}, and was credited with ${units}`)
  }
  return violations
}

/** Every order that its payer and merchant completed has its final state. */
export function unsettledOrders(record: TrialRecord): Violation[] {
  const meant = logsByIntent(record)
  const intents = new Map(
    record.merchants.flatMap((merchant) => merchant.intents).map((intent) => [intent.id, intent]),
  )
  return record.orders.flatMap(({ intentId, kind }): Violation[] => {
    const intent = intents.get(intentId)
    if (!intent) return []
    const isPaid = sum(meant.get(intentId) ?? []) >= BigInt(intent.amount_units)
    const isCanceled = kind === 'canceled' || kind === 'paid_after_cancel'
    const end = isCanceled ? 'canceled' : isPaid ? 'succeeded' : 'requires_payment'
    const isLate = kind !== 'paid_after_cancel' || intent.exceptions.includes('late')
    const isReversed = end === 'succeeded' && intent.exceptions.includes('reorged')
    if (intent.status === end && isLate && !isReversed) return []
    const exceptions = intent.exceptions.join(', ')
    const about = `${intentId}, ${kind}, is ${intent.status} (${exceptions}) instead of ${end}`
    return [{ invariant: 'unsettled', about }]
  })
}

/** Canonical transfers by the intent that their payers meant. */
function logsByIntent({
  chain,
  payments,
}: TrialRecord): Map<string | null | undefined, ChainLog[]> {
  const meant = new Map(payments.map((payment) => [paymentKey(payment), payment.intentId]))
  return Map.groupBy(chain.logs, (log) => meant.get(paymentKey(log)))
}

function sum(logs: readonly ChainLog[]): bigint {
  return logs.reduce((total, { amount }) => total + amount, 0n)
}

function isListedAs(log: ChainLog, transfer: Transfer | undefined): boolean {
  return (
    transfer !== undefined &&
    transfer.block_number === log.blockNumber &&
    isSame(transfer.from, log.from) &&
    isSame(transfer.to, log.to) &&
    BigInt(transfer.amount_units) === log.amount
  )
}

function isCanonical({ orphaned }: Transfer): boolean {
  return !orphaned
}

function keyOf({ tx_hash, log_index }: Transfer): string {
  return `${tx_hash}:${log_index}`
}

function isSame(address: string, other: string): boolean {
  return address.toLowerCase() === other.toLowerCase()
}
