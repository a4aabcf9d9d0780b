import { type Address, windows } from '@payment-intents/contract'
import type { Actor, Refund, RefundSource, WalletRole } from '@payment-intents/core'
import type { Hex } from 'viem'
import { watchTopic } from '../chains/watchedTopics.ts'
import { onlyRow, type Queryable } from '../connection/connect.ts'

/** The transfer that pays a refund, with its position on the chain. */
export type PayingTransfer = NonNullable<Refund['transfer']> & {
  readonly blockHash: Hex
  readonly logIndex: number
  readonly to: Address
  readonly amount: bigint
}

export type StoredRefund = Omit<Refund, 'transfer'> & { readonly transfer: PayingTransfer | null }

/** A refund with its transfer as JSON, in which a number that may exceed 2^53 is a text. */
type RefundRow = Omit<StoredRefund, 'transfer'> & {
  readonly transfer:
    | (Omit<PayingTransfer, 'blockNumber' | 'amount'> & { blockNumber: string; amount: string })
    | null
}

export const selectRefund = `
  select r.id, r.merchant_id as "merchantId", r.mode, r.intent_id as "intentId",
    r.transfer_id as "transferId", r.chain, r.chain_id as "chainId", r.token_address as token,
    r.amount_units as amount, r.refund_reference as reference, r.salt,
    r.confirmations_required as "confirmationsRequired", r.reason, r.metadata,
    floor(extract(epoch from r.created_at) * 1000)::float8 as "createdAt",
    floor(extract(epoch from r.succeeded_at) * 1000)::float8 as "succeededAt", r.status, r.sequence,
    r.destination, r.destination_proof as "destinationProof", r.from_address as "from", r.from_verified as "isFromVerified", r.confirmations,
    r.attached_tx_hash as "attachedTxHash", (
      select json_build_object(
        'id', t.id, 'txHash', t.tx_hash, 'blockNumber', t.block_number::text,
        'blockHash', t.block_hash, 'logIndex', t.log_index, 'from', t.sender, 'to', t.wallet,
        'amount', t.amount_units::text
      )
      from transfers t where t.refund_id = r.id and not t.orphaned
    ) as transfer, exists (
      select from authorizations a where a.refund_id = r.id and a.status = 'in_flight'
    ) as "isSigned"
  from refunds r`

export function toRefund(row: RefundRow): StoredRefund {
  const { transfer } = row
  if (!transfer) return { ...row, transfer: null }
  const { blockNumber, amount } = transfer
  return {
    ...row,
    transfer: { ...transfer, blockNumber: BigInt(blockNumber), amount: BigInt(amount) },
  }
}

/** Finds refunds. Orders them by id. */
export async function findRefunds(db: Queryable, ids: readonly string[]): Promise<StoredRefund[]> {
  if (ids.length === 0) return []
  const { rows } = await db.query<RefundRow>({
    name: 'find-refunds',
    text: `${selectRefund} where r.id = any ($1) order by r.id`,
    values: [ids],
  })
  return rows.map(toRefund)
}

/** Locks refunds until the transaction ends, and reads them. Their sources must be locked before. */
export async function lockRefunds(db: Queryable, ids: readonly string[]): Promise<StoredRefund[]> {
  if (ids.length === 0) return []
  await db.query({
    name: 'lock-refunds',
    text: 'select from refunds where id = any ($1) order by id for update',
    values: [ids],
  })
  // Read in a separate statement: a statement that waited for a lock would return transfers as they were before.
  return findRefunds(db, ids)
}

/** The fields that determine the source of a refund. */
export type SourceKey = Pick<
  Refund,
  'intentId' | 'transferId' | 'chainId' | 'confirmationsRequired'
>

type SourceRow = {
  readonly head: bigint | null
  readonly transfers: readonly { from: Address; blockNumber: string; amount: string }[]
  readonly refunds: readonly (Pick<Refund, 'id' | 'status' | 'destination'> & { amount: string })[]
}

/** SQL of a {@link SourceRow}. */
const sourceColumns = (chainId: string, isTransfer: string, isRefund: string) => `
  (select scanned_to from chain_cursors where chain_id = ${chainId}) as head,
  (
    select coalesce(json_agg(json_build_object(
      'from', sender, 'blockNumber', block_number::text, 'amount', amount_units::text
    )), '[]')
    from transfers where ${isTransfer} and not orphaned
  ) as transfers, (
    select coalesce(json_agg(json_build_object(
      'id', id, 'status', status, 'amount', amount_units::text, 'destination', destination
    )), '[]')
    from refunds where ${isRefund}
  ) as refunds`

function toSource(
  { head, transfers, refunds }: SourceRow,
  confirmationsRequired: number,
): RefundSource {
  return {
    ...{ confirmationsRequired, head },
    transfers: transfers.map(({ from, blockNumber, amount }) => {
      return { from, blockNumber: BigInt(blockNumber), amount: BigInt(amount) }
    }),
    refunds: refunds.map((refund) => ({ ...refund, amount: BigInt(refund.amount) })),
  }
}

/** Finds the transfers that are refunded, their refunds, and how far their chain has been read. */
export async function findSource(db: Queryable, key: SourceKey): Promise<RefundSource> {
  const { intentId, transferId, chainId, confirmationsRequired } = key
  const isOfIntent = intentId !== null
  const isTransfer = `${isOfIntent ? 'intent_id' : 'id'} = $1`
  const isRefund = `${isOfIntent ? 'intent_id' : 'transfer_id'} = $1`
  const result = await db.query<SourceRow>({
    name: `find-source-of-${isOfIntent ? 'intent' : 'transfer'}`,
    text: `select ${sourceColumns('$2', isTransfer, isRefund)}`,
    values: [intentId ?? transferId, chainId],
  })
  return toSource(onlyRow(result), confirmationsRequired)
}

/** Finds refunds, each with its source. */
export async function findRefundsWithSource(
  db: Queryable,
  ids: readonly string[],
): Promise<{ refund: StoredRefund; source: RefundSource }[]> {
  const refunds = await findRefunds(db, ids)
  if (refunds.length === 0) return []
  const ofIntent = sourceColumns('p.chain_id', 'intent_id = p.intent_id', 'intent_id = p.intent_id')
  const ofTransfer = sourceColumns(
    'p.chain_id',
    'id = p.transfer_id',
    'transfer_id = p.transfer_id',
  )
  const { rows } = await db.query<SourceRow & { id: string }>({
    name: 'find-sources',
    text: `
      select p.id, ${ofIntent} from refunds p where p.id = any ($1) and p.intent_id is not null
      union all
      select p.id, ${ofTransfer} from refunds p where p.id = any ($1) and p.transfer_id is not null`,
    values: [ids],
  })
  const sources = new Map(rows.map((row) => [row.id, row]))
  return refunds.flatMap((refund) => {
    const row = sources.get(refund.id)
    return row ? [{ refund, source: toSource(row, refund.confirmationsRequired) }] : []
  })
}

/**
 * Finds the role of an address for a merchant.
 * @param wallet the wallet of `intentId` also counts as the merchant's
 */
export async function findWalletRole(
  db: Queryable,
  { merchantId, mode }: Actor,
  { address, intentId }: { address: Address; intentId: string | null },
): Promise<WalletRole> {
  const { role } = onlyRow(
    await db.query<{ role: WalletRole }>({
      name: 'find-wallet-role',
      text: `
        select case
          when exists (
            select from merchant_wallets where merchant_id = $1 and mode = $2 and address = $3
          ) or exists (select from allowed_wallets where merchant_id = $1 and address = $3)
            or exists (select from refund_wallets where merchant_id = $1 and address = $3)
            then 'registered'
          when exists (
            select from wallet_owners where mode = $2 and address = $3 and merchant_id = $1
          ) or exists (select from wallet_proofs where merchant_id = $1 and address = $3)
            or exists (select from payment_intents where id = $4 and expected_wallet = $3)
            then 'own'
          else 'foreign'
        end as role`,
      values: [merchantId, mode, address, intentId],
    }),
  )
  return role
}

/**
 * Watches transfers with the nonce of a refund, until the late window after `from` is over.
 * @param time.now Unix milliseconds
 * @param time.from Unix seconds
 */
export async function watchRefund(
  db: Queryable,
  { chainId, reference: topic }: Pick<Refund, 'chainId' | 'reference'>,
  { now, from }: { now: number; from: number },
): Promise<void> {
  await watchTopic(db, { chainId, topic, since: now, until: from + windows.late })
}

export async function insertRefund(db: Queryable, refund: Refund): Promise<void> {
  await db.query({
    name: 'insert-refund',
    text: `
      with changed as (
        -- The intent shows the refunded amount.
        update payment_intents set version = version + 1 where id = $4
      )
      insert into refunds (id, merchant_id, mode, intent_id, transfer_id, chain, chain_id,
        token_address, amount_units, refund_reference, salt, confirmations_required, reason,
        metadata, created_at, status, sequence, destination, destination_proof, confirmations)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
        $20)`,
    values: [
      refund.id,
      refund.merchantId,
      refund.mode,
      refund.intentId,
      refund.transferId,
      refund.chain,
      refund.chainId,
      refund.token,
      String(refund.amount),
      refund.reference,
      refund.salt,
      refund.confirmationsRequired,
      refund.reason,
      refund.metadata,
      new Date(refund.createdAt),
      refund.status,
      refund.sequence,
      refund.destination,
      refund.destinationProof,
      refund.confirmations,
    ],
  })
}

/** Writes changed refunds, and raises the versions of their intents. */
export async function saveRefunds(db: Queryable, refunds: readonly Refund[]): Promise<void> {
  if (refunds.length === 0) return
  await db.query({
    name: 'save-refunds',
    text: `
      with input as (
        select * from json_to_recordset($1) as g (
          id text, status text, sequence integer, destination text, destination_proof text,
          from_address text, from_verified boolean, confirmations integer, attached_tx_hash text,
          succeeded float8
        )
      ), saved as (
        update refunds r set status = g.status, sequence = g.sequence, destination = g.destination,
          destination_proof = g.destination_proof, from_address = g.from_address, from_verified = g.from_verified,
          confirmations = g.confirmations, attached_tx_hash = g.attached_tx_hash,
          succeeded_at = to_timestamp(g.succeeded / 1000)
        from input g where r.id = g.id returning r.intent_id
      )
      update payment_intents set version = version + 1
      where id in (select intent_id from saved)`,
    values: [
      JSON.stringify(
        refunds.map((refund) => ({
          id: refund.id,
          status: refund.status,
          sequence: refund.sequence,
          destination: refund.destination,
          destination_proof: refund.destinationProof,
          from_address: refund.from,
          from_verified: refund.isFromVerified,
          confirmations: refund.confirmations,
          attached_tx_hash: refund.attachedTxHash,
          succeeded: refund.succeededAt,
        })),
      ),
    ],
  })
}
