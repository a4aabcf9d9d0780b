type Hex = `0x${string}`

/** The transfers that paid a payment intent, with the salt of its reference. */
export type Receipt = {
  readonly payment_intent: string
  /** From the service; the reference does not cover the name. */
  readonly merchant_name: string
  readonly chain: string
  readonly chain_id: number
  readonly token_address: Hex
  readonly expected_wallet: Hex
  /** The price in units of 0.000001 USDC. */
  readonly amount_units: number
  /** ISO 8601, whole seconds. */
  readonly expires_at: string
  /** 32 random bytes. */
  readonly salt: Hex
  readonly payment_reference: Hex
  /** In chain order. */
  readonly transfers: readonly {
    readonly tx_hash: Hex
    readonly log_index: number
    readonly block_timestamp: string
    readonly amount_units: number
    readonly bound_by: string
  }[]
  /** The oldest first; absent if there are none. */
  readonly refunds?: readonly ReceiptRefund[]
  /** The merchant's own; the reference does not cover the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A refund that a receipt lists, with the salt of its reference. */
export type ReceiptRefund = {
  readonly id: string
  readonly status: 'succeeded' | 'pending'
  readonly amount_units: number
  readonly destination: Hex
  readonly from: Hex
  /** null while the refund is pending, in no block. */
  readonly tx_hash: Hex | null
  readonly salt: Hex
  readonly refund_reference: Hex
}

/** The most transfers of a receipt that are looked up: each costs requests, and a payment in more parts is rare. */
const maxTransfers = 100
/** A payment intent has ten refunds at most. */
const maxRefunds = 10

/** Checked by hand, since a schema library is larger than all the rest. Addresses and hashes come back in lower case. */
export function parseReceipt(value: unknown): Receipt | null {
  if (!isRecord(value) || !Array.isArray(value.transfers)) return null
  const { transfers, refunds } = value
  const isValid =
    [value.payment_intent, value.merchant_name, value.chain].every(isText) &&
    [value.chain_id, value.amount_units].every(isCount) &&
    [value.token_address, value.expected_wallet].every((field) => isHex(field, 40)) &&
    [value.salt, value.payment_reference].every((field) => isHex(field, 64)) &&
    Number.isInteger(Date.parse(String(value.expires_at)) / 1000) &&
    transfers.length > 0 &&
    transfers.length <= maxTransfers &&
    transfers.every(isTransfer) &&
    (refunds === undefined || areRefunds(refunds))
  if (!isValid) return null
  const lower = (field: string) => String(value[field]).toLowerCase()
  return {
    ...value,
    token_address: lower('token_address'),
    expected_wallet: lower('expected_wallet'),
    salt: lower('salt'),
    payment_reference: lower('payment_reference'),
    transfers: transfers.map((transfer) => ({
      ...transfer,
      tx_hash: transfer.tx_hash.toLowerCase(),
    })),
    ...(refunds === undefined ? {} : { refunds: (refunds as ReceiptRefund[]).map(toLowerCase) }),
  } as unknown as Receipt
}

function isTransfer(value: unknown): boolean {
  return (
    isRecord(value) &&
    isHex(value.tx_hash, 64) &&
    !Number.isNaN(Date.parse(String(value.block_timestamp))) &&
    isCount(value.log_index) &&
    isCount(value.amount_units)
  )
}

function areRefunds(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > maxRefunds || !value.every(isRefund)) return false
  return new Set(value.map(({ id }) => id)).size === value.length
}

function isRefund(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { status, tx_hash: hash } = value
  return (
    isText(value.id) &&
    isCount(value.amount_units) &&
    [value.destination, value.from].every((field) => isHex(field, 40)) &&
    [value.salt, value.refund_reference].every((field) => isHex(field, 64)) &&
    (status === 'succeeded' || status === 'pending') &&
    (isHex(hash, 64) || (hash === null && status === 'pending'))
  )
}

function toLowerCase(refund: ReceiptRefund): ReceiptRefund {
  const lower = (field: 'destination' | 'from' | 'salt' | 'refund_reference') =>
    refund[field].toLowerCase() as Hex
  return {
    ...refund,
    destination: lower('destination'),
    from: lower('from'),
    salt: lower('salt'),
    refund_reference: lower('refund_reference'),
    tx_hash: refund.tx_hash && (refund.tx_hash.toLowerCase() as Hex),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isHex(value: unknown, digits: number): boolean {
  return isText(value) && value.length === digits + 2 && /^0x[0-9a-f]+$/i.test(value)
}
