import { limits, type PaymentIntentStatus, windows } from '@payment-intents/contract'
import {
  boundByOf,
  type CheckoutIntent,
  type CreditedTransfer,
  type Intent,
  type ReceiptRefund,
  receiptRefundStatuses,
  received,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'
import type { StoredTransfer } from '../transfers/transfers.ts'

/** A transfer that is credited to an intent, with its position on the chain. */
type Credited = CreditedTransfer & Pick<StoredTransfer, 'blockHash' | 'from' | 'to'>
export type StoredIntent = Omit<Intent, 'transfers'> & { readonly transfers: readonly Credited[] }

/** The JSON of a credited transfer, in which a number that may exceed 2^53 is a text. */
type CreditedRow = Omit<Credited, 'blockNumber' | 'amount'> & {
  readonly blockNumber: string
  readonly amount: string
}
/** Transfers and refunds are null if empty: most intents have none, and each read would parse the empty JSON. */
export type IntentRow = Omit<Intent, 'transfers' | 'refunded' | 'refunding'> & {
  readonly transfers: readonly CreditedRow[] | null
  readonly refunds: { readonly refunded: string; readonly refunding: string } | null
}

/** SQL of the columns of an intent, from `payment_intents p`, with its credited transfers. */
const intentColumns = `p.id, p.merchant_id as "merchantId", p.mode, p.chain, p.chain_id as "chainId",
  p.token_address as token, p.expected_wallet as wallet, p.amount_units as amount,
  p.payable_amount_units as payable, p.reference_only as "referenceOnly",
  p.payment_reference as reference, p.salt, p.confirmations_required as "confirmationsRequired",
  p.lane, p.payment_link as "paymentLink", p.metadata, floor(extract(epoch from p.created_at) * 1000)::float8 as "createdAt",
  extract(epoch from p.expires_at)::float8 as "expiresAt",
  p.expires_in_minutes as "expiresInMinutes", p.status, p.version, p.sequence, p.confirmations,
  p.tx_hash as "txHash", p.exceptions, p.accepted_units as accepted,
  floor(extract(epoch from p.opened_at) * 1000)::float8 as "openedAt",
  floor(extract(epoch from p.succeeded_at) * 1000)::float8 as "succeededAt", (
    select json_agg(json_build_object(
        'id', t.id, 'txHash', t.tx_hash, 'blockNumber', t.block_number::text,
        'blockHash', t.block_hash, 'blockTimestamp', t.block_timestamp, 'logIndex', t.log_index,
        'from', t.sender, 'to', t.wallet, 'amount', t.amount_units::text, 'boundBy', t.bound_by
      ) order by t.block_number, t.log_index)
    from transfers t where t.intent_id = p.id and not t.orphaned
  ) as transfers, (
    select json_build_object(
      'refunded', coalesce(sum(amount_units) filter (where status = 'succeeded'), 0)::text,
      'refunding', coalesce(sum(amount_units) filter (
        where status not in ('succeeded', 'canceled')
      ), 0)::text
    )
    from refunds r where r.intent_id = p.id having count(*) > 0
  ) as refunds`

export const selectIntent = `select ${intentColumns} from payment_intents p`

/** The rows that a merchant and a checkout see of an intent `p`. */
const intentTables = `payment_intents p join merchants m on m.id = p.merchant_id
  left join payment_links l on l.id = p.payment_link`

/**
 * SQL that differs whenever one of these rows was written. `xmin` is the transaction that wrote a row last; a lock keeps
 * it.
 */
const rowVersion = `concat_ws(' ', p.xmin, m.xmin, l.xmin)`

/** A value that is right as long as the row version is the same; null: it may be wrong at any time. */
export type Comparable<Value> = { readonly value: Value; readonly rowVersion: string | null }

/**
 * SQL of a row version that can be compared. What happens first to an open intent also writes its row; what happens
 * later to another row, such as a transfer that pays another intent, may not.
 */
const comparableVersion = `case when p.status = 'requires_payment'
    and not exists (select from transfers t where t.intent_id = p.id)
    and not exists (
      select from transfer_suggestions s where s.intent_id = p.id and s.match <> 'payer'
    )
    and not exists (select from authorizations a where a.intent_id = p.id)
  then ${rowVersion} end as "rowVersion"`

/** Reads the row versions of intents, by id. An intent that does not exist has none. */
export async function readRowVersions(
  db: Queryable,
  ids: readonly string[],
): Promise<{ id: string; rowVersion: string }[]> {
  const { rows } = await db.query<{ id: string; rowVersion: string }>({
    name: 'read-row-versions',
    text: `select p.id, ${rowVersion} as "rowVersion" from ${intentTables} where p.id = any($1)`,
    values: [ids],
  })
  return rows
}

/** Finds intents, by id. */
export async function findIntents(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Comparable<StoredIntent>>> {
  const { rows } = await db.query<IntentRow & { rowVersion: string | null }>({
    name: 'find-intents',
    text: `select ${intentColumns}, ${comparableVersion} from ${intentTables} where p.id = any($1)`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.id, { value: toIntent(row), rowVersion: row.rowVersion }]))
}

const receiptStatuses = receiptRefundStatuses.map((status) => `'${status}'`).join(', ')

/** Finds intents with all that a checkout shows, by id. */
export async function findForCheckouts(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, Comparable<CheckoutIntent>>> {
  const { rows } = await db.query<CheckoutRow>({
    name: 'find-for-checkouts',
    text: `
      select ${intentColumns}, m.name as "merchantName", m.support, m.guide,
        l.description as "linkDescription",
        ${comparableVersion},
        (select json_agg(json_build_object('txHash', tx_hash, 'amount', amount)) from (
          select t.tx_hash, t.amount_units::text as amount
          from transfer_suggestions s join transfers t on t.id = s.transfer_id
          where s.intent_id = p.id and s.match <> 'payer' and t.intent_id is null and not t.orphaned
          order by t.id desc limit ${limits.nearMisses}
        ) newest) as "nearMisses",
        (select json_build_object('from', a.authorizer, 'status', a.status, 'reason', a.reason,
            'txHash', a.tx_hash, 'validBefore', a.valid_before)
          from authorizations a where a.intent_id = p.id
          order by a.status = 'in_flight' desc, a.status = 'used' desc, a.id desc limit 1) as authorization,
        (select json_agg(json_build_object(
            'id', r.id, 'status', r.status, 'amount', r.amount_units::text,
            'reference', r.refund_reference, 'salt', r.salt, 'destination', r.destination,
            'from', r.from_address,
            'txHash', (
              select t.tx_hash from transfers t where t.refund_id = r.id and not t.orphaned
            )
          ) order by r.id)
          from refunds r
          where r.intent_id = p.id and p.status = 'succeeded' and r.status in (${receiptStatuses})
        ) as "receiptRefunds",
        -- Only relevant once a part was received.
        p.amount_received_units > 0
          and not exists (select from merchant_wallets where address = p.expected_wallet)
          and not exists (
            select from payment_intents o
            where o.chain_id = p.chain_id and o.expected_wallet = p.expected_wallet and o.id <> p.id
              and o.created_at >= now() - interval '${windows.late + 60 * limits.expiresInMinutes.max} seconds'
          ) as "exclusiveAddress"
      from ${intentTables} where p.id = any($1)`,
    values: [ids],
  })
  return new Map(
    rows.map((row) => [row.id, { value: toCheckout(row), rowVersion: row.rowVersion }]),
  )
}

type CheckoutRow = IntentRow &
  Omit<CheckoutIntent, 'intent' | 'nearMisses' | 'refunds'> & {
    readonly rowVersion: string | null
    readonly nearMisses: readonly { txHash: Hex; amount: string }[] | null
    readonly receiptRefunds: readonly (Omit<ReceiptRefund, 'amount'> & { amount: string })[] | null
  }

function toCheckout(row: CheckoutRow): CheckoutIntent {
  const { merchantName, support, guide, exclusiveAddress, linkDescription } = row
  const { nearMisses, authorization } = row
  const { receiptRefunds } = row
  return {
    authorization,
    intent: toIntent(row),
    merchantName,
    support,
    guide,
    exclusiveAddress,
    linkDescription,
    nearMisses: (nearMisses ?? []).map((near) => ({ ...near, amount: BigInt(near.amount) })),
    refunds: (receiptRefunds ?? []).map((refund) => ({ ...refund, amount: BigInt(refund.amount) })),
  }
}

/** Locks intents until the transaction ends, and reads them. */
export async function lockIntents(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
  await db.query({
    name: 'lock-intents',
    text: 'select from payment_intents where id = any($1) order by id for update',
    values: [ids],
  })
  return findLocked(db, ids)
}

/**
 * Reads intents after they were locked. It must be a separate statement: a statement that waited for a lock would
 * return transfers as they were before.
 */
export async function findLocked(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
  const { rows } = await db.query<IntentRow>({
    name: 'find-locked-intents',
    text: `${selectIntent} where p.id = any($1) order by p.id`,
    values: [ids],
  })
  return rows.map(toIntent)
}

export async function findStatus(db: Queryable, id: string): Promise<PaymentIntentStatus | null> {
  const { rows } = await db.query<{ status: PaymentIntentStatus }>({
    name: 'find-status',
    text: 'select status from payment_intents where id = $1',
    values: [id],
  })
  return rows[0]?.status ?? null
}

/** Whether somebody waits for a transfer on a chain: a payer, a merchant, or the receiver of a refund. */
export async function isTransferAwaited(db: Queryable, chainId: number): Promise<boolean> {
  const { rows } = await db.query<{ awaited: boolean }>({
    name: 'is-transfer-awaited',
    text: `select exists (
      select 1 from payment_intents
      where chain_id = $1 and status in ('requires_payment', 'pending_confirmations')
    ) or exists (
      select 1 from refunds where chain_id = $1 and status = 'pending'
    ) as awaited`,
    values: [chainId],
  })
  return rows[0]?.awaited ?? false
}

/**
 * Writes the changes of transitions. A version never goes back: a near miss may have raised it since the intent was
 * read.
 */
export async function saveProgress(db: Queryable, intents: readonly Intent[]): Promise<void> {
  if (intents.length === 0) return
  await db.query({
    name: 'save-progress',
    text: `
      update payment_intents p set status = s.status, version = greatest(p.version, s.version),
        sequence = s.sequence, confirmations = s.confirmations, tx_hash = s.tx_hash,
        exceptions = s.exceptions, amount_received_units = s.amount_received_units,
        accepted_units = s.accepted_units,
        succeeded_at = to_timestamp(s.succeeded / 1000), bound_by = s.bound_by
      from json_to_recordset($1) as s (
        id text, status text, version integer, sequence integer, confirmations integer,
        tx_hash text, exceptions text[], amount_received_units numeric, accepted_units numeric,
        succeeded float8, bound_by text
      )
      where p.id = s.id`,
    values: [JSON.stringify(intents.map(toProgressRow))],
  })
}

function toProgressRow(intent: Intent) {
  return {
    id: intent.id,
    status: intent.status,
    version: intent.version,
    sequence: intent.sequence,
    confirmations: intent.confirmations,
    tx_hash: intent.txHash,
    exceptions: intent.exceptions,
    amount_received_units: String(received(intent)),
    accepted_units: intent.accepted === null ? null : String(intent.accepted),
    succeeded: intent.succeededAt,
    bound_by: boundByOf(intent),
  }
}

/** Stores the first few accounts that a checkout names as its payer. They lead to suggestions, but credit nothing. */
export async function storeNamedPayer(
  db: Queryable,
  announcement: { intentId: string; payer: string },
): Promise<void> {
  await db.query({
    name: 'store-named-payer',
    text: `
      insert into announced_payers (intent_id, payer) select id, $2 from payment_intents
      where id = $1 and (select count(*) from announced_payers where intent_id = $1) < 5
      on conflict do nothing`,
    values: [announcement.intentId, announcement.payer.toLowerCase()],
  })
}

export function toIntent(row: IntentRow): StoredIntent {
  const transfers = (row.transfers ?? []).map((transfer) => {
    const { blockNumber, amount } = transfer
    return { ...transfer, blockNumber: BigInt(blockNumber), amount: BigInt(amount) }
  })
  const refunded = row.refunds ? BigInt(row.refunds.refunded) : 0n
  const refunding = row.refunds ? BigInt(row.refunds.refunding) : 0n
  // Turn the row into the intent: copying it takes longer than reading it.
  return Object.assign(row, { transfers, refunded, refunding })
}
