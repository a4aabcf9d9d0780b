import { conflict, notFoundError } from '../http/httpError.ts'
import type { Handler, ServiceResponse } from '../service.ts'
import { type Applied, applyFacts } from './applyFacts.ts'
import type { Intent } from './intent.ts'
import { presentInEvent } from './present.ts'
import type { ActionResult, Decision, Locked } from './store.ts'
import type { Fact } from './transition.ts'

// A merchant's actions on intents. Each is idempotent, so it needs no `Idempotency-Key`: a repeated action returns the
// intent unchanged.

export const cancelPaymentIntent: Handler<'cancelPaymentIntent'> = async (
  { store },
  { actor, id },
) => {
  const decide = (locked: Locked) => cancel(locked, id)
  const result = await store.paymentIntents.underLock(actor, { intent: id }, decide)
  return present('payment intent', result)
}

export const acceptPaymentIntent: Handler<'acceptPaymentIntent'> = async (
  { store },
  { actor, id },
) => {
  const decide = (locked: Locked) => accept(locked, id)
  const result = await store.paymentIntents.underLock(actor, { intent: id }, decide)
  return present('payment intent', result)
}

export const assignTransfer: Handler<'assignTransfer'> = async (service, { actor, id, body }) => {
  const intentId = body.payment_intent
  const ids = { intent: intentId, transfer: id }
  const decide = (locked: Locked) => assign(locked, intentId)
  const result = await service.store.paymentIntents.underLock(actor, ids, decide)
  return present('transfer or payment intent', result)
}

/** Cancels an intent that received nothing. */
export function cancel({ intents, isInFlight }: Locked, id: string): Decision {
  return apply(intents.get(id), { type: 'cancel', isInFlight })
}

/** Settles for the received amount. */
export function accept({ intents }: Locked, id: string): Decision {
  return apply(intents.get(id), { type: 'accept' })
}

/**
 * Credits an unmatched transfer to an intent of the same merchant, mode, chain and wallet, or moves a transfer there on
 * which no intent's state depends. Assigning it to the same intent again changes nothing.
 */
export function assign({ intents, transfer }: Locked, intentId: string): Decision {
  const intent = intents.get(intentId)
  if (!intent || !transfer) return { type: 'not_found' }
  if (transfer.intentId === intentId) return { type: 'done', intent, changes: [] }
  if (transfer.orphaned) return refused('The chain has taken this transfer back.')
  if (transfer.isRefunded) return refused('A refund pays this transfer back: cancel that first.')
  if (transfer.chainId !== intent.chainId || transfer.token !== intent.token) {
    return refused('The transfer and the payment intent differ in token or chain.')
  }
  const moved: Applied[] = []
  if (transfer.intentId !== null) {
    const source = intents.get(transfer.intentId)
    // Another request assigned it between two statements of this request.
    if (!source)
      return refused('Another request assigned the transfer meanwhile: retrieve it again.')
    if (source.wallet !== intent.wallet) {
      return refused('A credited transfer moves only to a payment intent at the same wallet.')
    }
    if (!coversRefunds(source, transfer)) {
      return refused(`Refunds of ${source.id} need this transfer: cancel them first.`)
    }
    const decision = apply(source, { type: 'transfer_moved', transferId: transfer.id })
    if (decision.type !== 'done') return decision
    moved.push(...decision.changes)
  }
  const credited = { ...transfer, boundBy: 'assignment' } as const
  const decision = apply(intent, { type: 'transfer_seen', transfer: credited })
  if (decision.type !== 'done') return decision
  return {
    ...decision,
    changes: [...moved, ...decision.changes],
    assign: { transferId: transfer.id, intentId },
  }
}

/** Whether the intent's received amount covers its refunds without a transfer. */
function coversRefunds({ transfers, refunded, refunding }: Intent, moved: { id: string }): boolean {
  const rest = transfers.filter(({ id }) => id !== moved.id)
  return rest.reduce((sum, { amount }) => sum + amount, 0n) >= refunded + refunding
}

function apply(intent: Intent | undefined, fact: Fact): Decision {
  if (!intent) return { type: 'not_found' }
  const applied = applyFacts(intent, [fact])
  if (applied.refused !== null) return { type: 'refused', ...applied.refused }
  return { type: 'done', intent: applied.intent, changes: [applied] }
}

function refused(message: string): Decision {
  return { type: 'refused', message }
}

function present(noun: Parameters<typeof notFoundError>[0], result: ActionResult): ServiceResponse {
  switch (result.type) {
    case 'done': {
      const { intent, events } = result
      return { body: presentInEvent(intent), written: { chainId: intent.chainId, events } }
    }
    case 'not_found':
      throw notFoundError(noun)
    case 'refused':
      throw conflict(result.reason ?? 'illegal_state', result.message)
  }
}
