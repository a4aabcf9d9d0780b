import type { OrderKind } from './plan.ts'

/** The traces of a run, as seen from outside of the servers. The checks read nothing else. */
export type TrialRecord = {
  readonly confirmationsRequired: number
  readonly merchants: readonly MerchantRecord[]
  readonly orders: readonly OrderRecord[]
  readonly payments: readonly PaymentRecord[]
  readonly chain: ChainRecord
  /** The responses to checkouts, in their order. */
  readonly resolved: readonly { intentId: string; version: number; status: string }[]
  readonly arrivals: readonly ArrivalRecord[]
  /** Responses to a merchant's requests for another merchant's objects. */
  readonly foreign: readonly { request: string; status: number }[]
  /** All text that is kept or printed anywhere: rows, log lines, refusals, bodies of webhooks. */
  readonly texts: readonly { readonly where: string; readonly text: string }[]
  readonly secrets: readonly { readonly name: string; readonly value: string }[]
  /** Takeovers of the lease and writes under it, in the order of the lock that all of them hold. */
  readonly leaseLog: readonly LeaseEntry[]
  /** Servers that ended without being killed. */
  readonly ended: readonly string[]
}

/** An order that was acknowledged. */
export type OrderRecord = {
  readonly key: string
  readonly merchant: number
  readonly kind: OrderKind
  readonly intentId: string
  /** The body of every response to its creation, byte for byte. */
  readonly responses: readonly string[]
}

/** A payment that was sent. */
export type PaymentRecord = {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** Appended to the calldata. */
  readonly reference: string | null
  /** The intent that it is meant for; null: none. */
  readonly intentId: string | null
}

/** From the node itself, after the run. */
export type ChainRecord = {
  readonly head: number
  /** Transfers of USDC to the wallets of the run, in the canonical chain. */
  readonly logs: readonly ChainLog[]
  /** Every block that a transaction was ever in, and the newest head that this block was below. */
  readonly inclusions: readonly { txHash: string; block: number; deepestHead: number }[]
}

export type ChainLog = {
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: number
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly reference: string | null
}

export type MerchantRecord = {
  readonly wallet: string
  readonly endpoints: readonly EndpointRecord[]
  /** Lists, all pages of each. */
  readonly intents: readonly Intent[]
  readonly transfers: readonly Transfer[]
  readonly events: readonly Event[]
  /** The intents retrieved by id; null: not found. */
  readonly retrieved: ReadonlyMap<string, Intent | null>
  /** Events in the order in which a reader with a cursor got them. */
  readonly followed: readonly string[]
}

export type EndpointRecord = {
  /** The path of its URL. */
  readonly path: string
  readonly secret: string
  /** null: every type. */
  readonly types: readonly string[] | null
}

export type ArrivalRecord = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the response was a success. */
  readonly taken: boolean
  /** Unix milliseconds. */
  readonly at: number
}

export type LeaseEntry = {
  /** The process, by its name. */
  readonly writer: string
  readonly action: 'taken' | 'written'
}

export type Intent = Fields & {
  readonly id: string
  readonly status: string
  readonly amount_units: number
  readonly amount_received_units: number
  readonly version: number
  readonly exceptions: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
}

export type Transfer = Fields & {
  readonly id: string
  readonly tx_hash: string
  readonly log_index: number
  readonly block_number: number
  readonly from: string
  readonly to: string
  readonly amount_units: number
  readonly payment_intent: string | null
  readonly orphaned: boolean
}

export type Event = Fields & {
  readonly id: string
  readonly type: string
  readonly sequence: number
  readonly data: { readonly object: Fields }
}

type Fields = { readonly [field: string]: unknown }

/** Identifies a payment in the chain by all that its payer decides. */
export function paymentKey(
  payment: Pick<PaymentRecord, 'from' | 'to' | 'amount' | 'reference'>,
): string {
  const { from, to, amount, reference } = payment
  return [from, to, amount, reference ?? ''].join(':').toLowerCase()
}
