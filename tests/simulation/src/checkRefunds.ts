import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import type { Hex } from 'viem'
import type { Log } from './chain/chain.ts'
import type { PromisedRefund } from './oracle/knowledge.ts'
import type { Actors } from './plan/actors.ts'
import { Violation } from './violation.ts'

type RefundRow = {
  id: string
  status: string
  reference: Hex
  transferHash: Hex | null
  blockHash: Hex | null
  logIndex: number | null
  events: string[]
  sequences: number[]
  isSigned: boolean
}

/**
 * Checks after a poll that each refund matches the chain.
 *
 * @param poll.receipts the receipts that the provider showed: a refund succeeds by a receipt alone
 * @param poll.isSettled whether everything has had the time that it needs
 * @returns how many refunds have succeeded
 * @throws {Violation}
 */
export async function checkRefunds(
  db: Db,
  { knowledge }: Actors,
  step: number,
  poll: {
    receipts: ReadonlySet<string>
    succeededBefore: Map<string, number>
    isSettled: boolean
  },
): Promise<number> {
  const { receipts, succeededBefore, isSettled } = poll
  if (knowledge.refunds.length === 0) return 0
  const { rows } = await db.pool.query<RefundRow>(
    `select refund.id, refund.status, refund.refund_reference as reference,
       transfer.tx_hash as "transferHash", transfer.block_hash as "blockHash",
       transfer.log_index as "logIndex",
       array(select type from events where refund_id = refund.id order by sequence) as events,
       array(select sequence from events where refund_id = refund.id order by sequence) as sequences,
       exists (
         select from authorizations where refund_id = refund.id and status = 'in_flight'
       ) as "isSigned"
     from refunds refund
     left join transfers transfer on transfer.refund_id = refund.id and not transfer.orphaned`,
  )
  const stored = new Map(rows.map((row) => [row.id, row]))
  const taken = new Set<string>()
  for (const refund of knowledge.refunds) {
    const row = stored.get(refund.id)
    const expect = (isCorrect: boolean, fault: string) => {
      if (!isCorrect)
        throw new Violation('refunds', step, [refund.history], `${refund.id}: ${fault}`)
    }
    if (!row) throw new Violation('refunds', step, [refund.history], `${refund.id} is lost`)
    expect(
      row.sequences.every((sequence, at) => sequence === at + 1),
      `events ${row.sequences}`,
    )
    const succeeded = row.events.filter((type) => type === 'refund.succeeded').length
    const reversed = row.events.filter((type) => type === 'refund.reversed').length
    const successes = row.status === 'succeeded' ? 1 : 0
    expect(succeeded - reversed === successes, `${row.status} after ${row.events}`)
    const place = `${row.blockHash}:${row.logIndex}`
    expect(row.blockHash === null || !taken.has(place), `shares ${place} with another refund`)
    taken.add(place)
    if (succeeded > (succeededBefore.get(refund.id) ?? 0)) {
      const receipt = `${row.transferHash}:${row.blockHash}`
      expect(receipts.has(receipt) || row.status !== 'succeeded', 'succeeded without a receipt')
      succeededBefore.set(refund.id, succeeded)
    }
    const payments = paymentsOf(knowledge.chain.canonical, refund)
    const byNonce = payments.filter(({ log }) => log.nonce === refund.reference)
    expect(byNonce.length <= 1, 'the token took its nonce twice')
    if (!isSettled) continue
    // A reorg deeper than a payment needs may bring back an ended authorization: then the refund is paid after all.
    if (row.status === 'canceled') expect(byNonce.length === 0, 'canceled, and paid by its nonce')
    const payment = payments.find(({ log, hash }) => `${hash}:${log.logIndex}` === place)
    if (row.status === 'succeeded') expect(payment !== undefined, 'succeeded, and not on the chain')
    const isDeep = (number: bigint) =>
      knowledge.chain.head.number - number + 1n >= BigInt(refund.confirmations)
    if (payment && isDeep(payment.number))
      expect(row.status === 'succeeded', `deep, but ${row.status}`)
    const [named] = byNonce
    const isExpected = !named || payment?.log === named.log || row.blockHash !== null
    expect(isExpected, `paid by its nonce, but ${row.status}`)
    const last = refund.signed.at(-1)
    if (row.status === 'pending' && !payment)
      expect(row.isSigned && last !== undefined, 'pending for nothing')
  }
  return rows.filter(({ status }) => status === 'succeeded').length
}

/**
 * Checks that the amount received for good, by the rows of transfers and the cursor alone, covers all refunds that are not canceled.
 *
 * @throws {Violation}
 */
export async function expectCovered(db: Db, step: number, wallet: number, intentId: string) {
  const { rows } = await db.pool.query<{ received: bigint; refunds: bigint }>(
    `select (
       select coalesce(sum(transfer.amount_units), 0)
       from transfers transfer join chain_cursors cursor using (chain_id)
       where transfer.intent_id = intent.id and not transfer.orphaned
         and cursor.scanned_to - transfer.block_number + 1 >= intent.confirmations_required
     ) as received, (
       select coalesce(sum(amount_units), 0) from refunds
       where intent_id = intent.id and status <> 'canceled'
     ) as refunds
     from payment_intents intent where intent.id = $1`,
    [intentId],
  )
  const [row] = rows
  if (row && row.refunds <= row.received) return
  const what = `${intentId}: refunds of ${row?.refunds} of ${row?.received} received`
  throw new Violation('refunds', step, [wallet], what)
}

/** The transfers of the chain that may be this refund's: by its nonce, or made by hand for it. */
function paymentsOf(
  branch: readonly { hash: Hex; number: bigint; logs: readonly Log[] }[],
  refund: PromisedRefund,
): { log: Log; hash: Hex; number: bigint }[] {
  const destinations = new Set([refund.destination, ...refund.signed.map(({ to }) => to)])
  return branch.flatMap(({ hash, number, logs }) =>
    logs
      .filter((log) => {
        const isOfRefund = log.from === refund.wallet && log.amount === refund.amount
        const isNamed =
          log.nonce === refund.reference || refund.byHand.includes(log.transaction.hash)
        return isOfRefund && isNamed && destinations.has(log.to)
      })
      .map((log) => ({ log, hash, number })),
  )
}
