import type { NewEvent } from './events.ts'

type LoggedEvent = Pick<
  NewEvent,
  'type' | 'merchantId' | 'mode' | 'intentId' | 'transferId' | 'refundId' | 'object'
>

type Log = {
  /** The least level that it shows; undefined: it shows everything. */
  readonly level?: string | undefined
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
}

/** The maximum of events that get their own line. */
const maxLogged = 100

/**
 * Logs each event with its merchant, transaction and amount. The level of a creation and of an unpaid expiry is
 * `debug`.
 */
export function logEvents(log: Log, chainId: number, events: readonly LoggedEvent[]): void {
  const showsDebug = ['debug', 'trace', undefined].includes(log.level)
  for (const { type, merchantId, mode, intentId, transferId, refundId, object } of events.slice(
    0,
    maxLogged,
  )) {
    const isCreation = type === 'payment_intent.created'
    // Creations are most events of a busy server: parse their text only if the log shows them.
    if (isCreation && !showsDebug) continue
    const { tx_hash, amount_units, amount_received_units } = read(object)
    const about = intentId
      ? { payment_intent: intentId, tx_hash, amount_units, amount_received_units }
      : { ...(refundId ? { refund: refundId } : { transfer: transferId }), tx_hash, amount_units }
    const isUnpaid = type === 'payment_intent.expired' && !(Number(amount_received_units) > 0)
    const isNews = !isCreation && !isUnpaid
    const fields = { chain_id: chainId, event: type, merchant: merchantId, mode, ...about }
    log[isNews ? 'info' : 'debug'](fields, 'recorded')
  }
  if (events.length > maxLogged) {
    log.info({ chain_id: chainId, events: events.length - maxLogged }, 'more events were recorded')
  }
}

/** Returns an empty object for invalid JSON: the event is committed, and a line without amounts is better than none. */
function read(object: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(object)
  } catch {
    return {}
  }
}
