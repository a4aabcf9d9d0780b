import { type Address, type Chain, chainFacts } from '@payment-intents/contract'
import type { PresentableTransfer, Rail, Suggestion, UnmatchedReason } from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Actor } from './act.ts'
import type { Queryable } from './connect.ts'
import { type Page, toPage } from './page.ts'
import { selectSuggestions } from './suggestions.ts'

export type TransferFilter = {
  readonly limit: number
  /** The transfer to continue after. */
  readonly startingAfter: string | null
  readonly intentId: string | null
  readonly matched: boolean | null
  readonly chain: Chain | null
}

type TransferRow = {
  id: string
  chain_id: number
  tx_hash: Hex
  log_index: number
  block_number: bigint
  block_timestamp: bigint
  sender: Address
  wallet: Address
  amount_units: bigint
  token_address: Address
  intent_id: string | null
  bound_by: Rail | null
  reason: UnmatchedReason | null
  suggestions: Suggestion[]
  orphaned: boolean
  seen_at: Date
}

export type ListedTransfer = PresentableTransfer & { readonly chainId: number }

/** Transfers to a merchant's wallets, the latest seen first. */
export async function listTransfers(
  db: Queryable,
  who: Actor,
  filter: TransferFilter,
): Promise<Page<ListedTransfer>> {
  // Without a name, so that it is planned for the filters that are given.
  const { rows } = await db.query<TransferRow>(
    `select t.*, ${selectSuggestions} from transfers t
     where merchant_id = $1 and mode = $2
       and ($3::text is null or id < $3)
       and ($4::text is null or intent_id = $4)
       and ($5::boolean is null or (intent_id is not null) = $5)
       and ($6::integer is null or chain_id = $6)
     order by id desc limit $7`,
    [
      who.merchantId,
      who.mode,
      filter.startingAfter,
      filter.intentId,
      filter.matched,
      filter.chain && chainFacts(who.mode, filter.chain).chainId,
      filter.limit + 1,
    ],
  )
  return toPage(rows, filter.limit, toTransfer)
}

function toTransfer(row: TransferRow): ListedTransfer {
  return {
    id: row.id,
    chainId: row.chain_id,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    blockNumber: row.block_number,
    blockTimestamp: Number(row.block_timestamp),
    from: row.sender,
    to: row.wallet,
    amount: row.amount_units,
    token: row.token_address,
    intentId: row.intent_id,
    boundBy: row.bound_by,
    reason: row.reason,
    suggestions: row.suggestions,
    orphaned: row.orphaned,
    seenAt: row.seen_at.getTime(),
  }
}
