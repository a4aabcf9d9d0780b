import {
  type Address,
  type Chain,
  type Lane,
  limits,
  type Mode,
  type PaymentIntentException,
  type PaymentIntentStatus,
  windows,
} from '@payment-intents/contract'
import { type Intent, type NearMiss, type Rail, received } from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Queryable } from '../connect.ts'

export type IntentRow = {
  id: string
  merchant_id: string
  mode: Mode
  chain: Chain
  chain_id: number
  token_address: Address
  expected_wallet: Address
  amount_units: bigint
  payable_amount_units: bigint
  reference_only: boolean
  payment_reference: Hex
  salt: Hex
  confirmations_required: number
  lane: Lane
  metadata: string
  created_at: Date
  expires_at: Date
  expires_in_minutes: number
  status: PaymentIntentStatus
  version: number
  sequence: number
  confirmations: number
  tx_hash: Hex | null
  exceptions: PaymentIntentException[]
  accepted_units: bigint | null
  transfers: {
    id: string
    tx_hash: Hex
    block_number: string
    block_hash: Hex
    block_timestamp: number
    log_index: number
    sender: Address
    wallet: Address
    amount_units: string
    bound_by: Rail
  }[]
}

/** Intents as `p`, each with what is credited to it. */
export const selectIntent = `
  select p.*, (
    select coalesce(json_agg(json_build_object(
        'id', t.id, 'tx_hash', t.tx_hash, 'block_number', t.block_number::text,
        'block_hash', t.block_hash, 'block_timestamp', t.block_timestamp, 'log_index', t.log_index,
        'sender', t.sender, 'wallet', t.wallet, 'amount_units', t.amount_units::text, 'bound_by', t.bound_by
      ) order by t.block_number, t.log_index), '[]')
    from transfers t where t.intent_id = p.id and not t.orphaned
  ) as transfers
  from payment_intents p`

/** An intent with what the checkout shows beside it. */
export type ForCheckout = {
  readonly intent: Intent
  readonly merchantName: string
  /** Unmatched transfers that may be for it, the newest first. */
  readonly nearMisses: readonly NearMiss[]
  /** Whether its wallet is its alone. */
  readonly ownAddress: boolean
}

const nearMissesShown = 5

export async function findForCheckout(db: Queryable, id: string): Promise<ForCheckout | null> {
  const { rows } = await db.query<CheckoutRow>({
    name: 'find-for-checkout',
    text: `
      select i.*, m.name as merchant_name,
        (select coalesce(json_agg(json_build_object('tx_hash', tx_hash, 'amount', amount)), '[]') from (
          select t.tx_hash, t.amount_units::text as amount
          from transfer_suggestions s join transfers t on t.id = s.transfer_id
          where s.intent_id = i.id and s.match <> 'payer' and t.intent_id is null and not t.orphaned
          order by t.id desc limit ${nearMissesShown}
        ) newest) as near_misses,
        -- Of interest while a part has come.
        i.amount_received_units > 0
          and not exists (select from merchant_wallets where address = i.expected_wallet)
          and not exists (
            select from payment_intents p
            where p.chain_id = i.chain_id and p.expected_wallet = i.expected_wallet and p.id <> i.id
              and p.created_at >= now() - interval '${windows.late + 60 * limits.expiresInMinutes.max} seconds'
          ) as own_address
      from (${selectIntent} where p.id = $1) i join merchants m on m.id = i.merchant_id`,
    values: [id],
  })
  const [row] = rows
  if (!row) return null
  return {
    intent: toIntent(row),
    merchantName: row.merchant_name,
    ownAddress: row.own_address,
    nearMisses: row.near_misses.map(({ tx_hash: txHash, amount }) => ({
      txHash,
      amount: BigInt(amount),
    })),
  }
}

type CheckoutRow = IntentRow & {
  merchant_name: string
  own_address: boolean
  near_misses: { tx_hash: Hex; amount: string }[]
}

/** Reads intents and keeps others from changing them until the transaction ends. */
export async function lockIntents(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
  await db.query({
    name: 'lock-intents',
    text: 'select from payment_intents where id = any($1) order by id for update',
    values: [ids],
  })
  return findLocked(db, ids)
}

/** Apart from the lock, and after it: a statement that waited for a lock shows transfers as they were before. */
export async function findLocked(db: Queryable, ids: readonly string[]): Promise<Intent[]> {
  const { rows } = await db.query<IntentRow>({
    name: 'find-locked-intents',
    text: `${selectIntent} where p.id = any($1) order by p.id`,
    values: [ids],
  })
  return rows.map(toIntent)
}

/** The version alone, for a reader that waits for the next one. */
export async function findVersion(db: Queryable, id: string): Promise<number | null> {
  const { rows } = await db.query<{ version: number }>({
    name: 'find-version',
    text: 'select version from payment_intents where id = $1',
    values: [id],
  })
  return rows[0]?.version ?? null
}

export async function hasOpenIntents(db: Queryable, chainId: number): Promise<boolean> {
  const { rows } = await db.query<{ open: boolean }>({
    name: 'has-open-intents',
    text: `select exists (
      select 1 from payment_intents
      where chain_id = $1 and status in ('requires_payment', 'pending_confirmations')
    ) as open`,
    values: [chainId],
  })
  return rows[0]?.open ?? false
}

export async function insertIntent(db: Queryable, intent: Intent): Promise<void> {
  await db.query({
    name: 'insert-intent',
    text: `
      insert into payment_intents (
        id, merchant_id, mode, chain, chain_id, token_address, expected_wallet, amount_units,
        payable_amount_units, reference_only, payment_reference, salt, confirmations_required, lane,
        metadata, created_at, expires_at, expires_in_minutes, status, version, sequence,
        amount_received_units, confirmations, exceptions
      ) values (
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
        0, 0, '{}'
      )`,
    values: [
      intent.id,
      intent.merchantId,
      intent.mode,
      intent.chain,
      intent.chainId,
      intent.token,
      intent.wallet,
      intent.amount,
      intent.payable,
      intent.referenceOnly,
      intent.reference,
      intent.salt,
      intent.confirmationsRequired,
      intent.lane,
      intent.metadata,
      new Date(intent.createdAt),
      new Date(intent.expiresAt * 1000),
      intent.expiresInMinutes,
      intent.status,
      intent.version,
      intent.sequence,
    ],
  })
}

/**
 * Writes what transitions changed, and wakes the requests that wait for it. A version never goes back: a near miss may have
 * raised it since the intent was read.
 */
export async function saveProgress(db: Queryable, intents: readonly Intent[]): Promise<void> {
  if (intents.length === 0) return
  await db.query({
    name: 'save-progress',
    text: `
      with saved as (
        update payment_intents p set status = s.status, version = greatest(p.version, s.version),
          sequence = s.sequence, confirmations = s.confirmations, tx_hash = s.tx_hash,
          exceptions = s.exceptions, amount_received_units = s.amount_received_units,
          accepted_units = s.accepted_units
        from json_to_recordset($1) as s (
          id text, status text, version integer, sequence integer, confirmations integer,
          tx_hash text, exceptions text[], amount_received_units numeric, accepted_units numeric
        )
        where p.id = s.id returning p.id
      )
      select pg_notify('payment_intent_changed', id) from saved`,
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
  }
}

/** Remembers which accounts a checkout named, the first few: a claim, which suggests and never credits. */
export async function announcePayer(
  db: Queryable,
  announcement: { intentId: string; payer: string },
): Promise<void> {
  await db.query({
    name: 'announce-payer',
    text: `
      insert into announced_payers (intent_id, payer) select $1, $2
      where (select count(*) from announced_payers where intent_id = $1) < 5
      on conflict do nothing`,
    values: [announcement.intentId, announcement.payer.toLowerCase()],
  })
}

export function toIntent(row: IntentRow): Intent {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    mode: row.mode,
    chain: row.chain,
    chainId: row.chain_id,
    token: row.token_address,
    wallet: row.expected_wallet,
    amount: row.amount_units,
    payable: row.payable_amount_units,
    referenceOnly: row.reference_only,
    reference: row.payment_reference,
    salt: row.salt,
    confirmationsRequired: row.confirmations_required,
    lane: row.lane,
    metadata: row.metadata,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime() / 1000,
    expiresInMinutes: row.expires_in_minutes,
    status: row.status,
    version: row.version,
    sequence: row.sequence,
    confirmations: row.confirmations,
    txHash: row.tx_hash,
    exceptions: row.exceptions,
    accepted: row.accepted_units,
    transfers: row.transfers.map((transfer) => ({
      id: transfer.id,
      txHash: transfer.tx_hash,
      blockNumber: BigInt(transfer.block_number),
      blockTimestamp: transfer.block_timestamp,
      logIndex: transfer.log_index,
      amount: BigInt(transfer.amount_units),
      boundBy: transfer.bound_by,
    })),
  }
}
