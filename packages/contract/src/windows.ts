const hour = 60 * 60

/** The windows of time that the interface promises, in seconds. */
export const windows = {
  /** How long after its deadline an intent still receives payments, then as `late`. */
  late: 24 * hour,
  /** How long the response to an `Idempotency-Key` is kept. */
  idempotency: 24 * hour,
  /** How far back events are listed without a cursor, and can be redelivered. */
  history: 30 * 24 * hour,
  /** How long after its creation an intent is found by its price alone. */
  price: 7 * 24 * hour,
  /** The minimum time that an authorization must have left when it is offered, and when it is submitted. */
  gaslessOffered: 60,
  gaslessSubmitted: 10,
  /** How long a refund's typed data can be signed and submitted. */
  refundSignable: 15 * 60,
  /** How long the message that names a refund's destination can be signed and submitted. */
  refundClaim: 10 * 60,
  /** How long the message that proves a wallet can be signed and submitted. */
  walletProof: 10 * 60,
  /** How long a receiver of a webhook may take to respond. */
  webhookResponse: 15,
  /** How long the link of a handoff works. */
  handoff: 5 * 60,
} as const
