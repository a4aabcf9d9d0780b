import { type Address, limits, type RefundReason, type RequestOf } from '@payment-intents/contract'
import { conflict, creationConflict, notFoundError } from '../http/httpError.ts'
import { idempotencyKey, metadataOf } from '../http/readRequest.ts'
import type { IdempotentRequest } from '../payment-intents/store.ts'
import type { Handler, Service, ServiceRequest } from '../service.ts'
import { destinationOf, refuseDestination } from './destination.ts'
import type { Refund } from './refund.ts'
import { notCanceledRefunds, refundableUnits } from './refundable.ts'
import { refundReference } from './refundReference.ts'
import { presentStored } from './retrieveRefund.ts'
import type { LockedSource, SourceId } from './store.ts'

type Request = ServiceRequest<'createRefund'>

/** Creates one refund for each idempotency key. */
export const createRefund: Handler<'createRefund'> = async (service, request) => {
  const { actor, body } = request
  const { refunds } = service.store
  const metadata = metadataOf(request)
  const source = sourceOf(body)
  const destination = body.destination === undefined ? null : destinationOf(body.destination)
  const idempotency = idempotentRequest(request, metadata)
  const created = await refunds.create(actor, { source, destination, idempotency }, (locked) =>
    newRefund(service, locked, {
      ...{ merchantId: actor.merchantId, source, destination, amount: body.amount_units, metadata },
      reason: body.reason ?? null,
    }),
  )
  switch (created.type) {
    case 'not_found':
      throw notFoundError(source.type === 'transfer' ? 'transfer' : 'payment intent')
    case 'mismatch':
      throw creationConflict('idempotency_key_reused')
    case 'in_flight':
      throw creationConflict('idempotency_key_in_flight')
    case 'created': {
      const written = { chainId: created.refund.chainId, events: created.events }
      return { body: presentStored(service, created), written }
    }
    case 'replayed': {
      const { response } = created
      const stored = await refunds.find(actor, JSON.parse(response).id)
      if (!stored) throw notFoundError('refund')
      // The stored text, to the byte, with its link and the present terms to sign.
      const body = presentStored(service, stored, response)
      return { body, headers: { 'idempotent-replayed': 'true' } }
    }
  }
}

/** The request for a new refund. */
export type RefundRequest = {
  readonly merchantId: string
  readonly source: SourceId
  readonly destination: Address | null
  /** Absent: everything refundable. */
  readonly amount: number | undefined
  readonly reason: RefundReason | null
  /** JSON text. */
  readonly metadata: string
}

/**
 * A refund of the locked source. `refund.created` is its first event.
 *
 * @throws {HttpError} `wallet_invalid`, or `conflict` if the amount is not refundable
 */
export function newRefund(
  service: Pick<Service, 'clock' | 'newId' | 'randomSalt' | 'keccak256'>,
  locked: LockedSource,
  { merchantId, source, destination, amount: units, reason, metadata }: RefundRequest,
): Refund {
  const { chain, chainId, token, mode } = locked
  refuseSource(locked)
  if (destination !== null) refuseDestination(destination, locked)
  const amount = refundedAmount(locked, units)
  const createdAt = service.clock(chainId).now
  const id = service.newId('re', createdAt)
  const salt = service.randomSalt()
  const terms = { id, source: source.id, chainId, token, amount, salt }
  return {
    ...{ id, merchantId, mode, chain, chainId, token, amount, salt, reason, metadata, createdAt },
    intentId: source.type === 'payment_intent' ? source.id : null,
    transferId: source.type === 'transfer' ? source.id : null,
    reference: refundReference(terms, service.keccak256),
    confirmationsRequired: locked.source.confirmationsRequired,
    status: destination === null ? 'requires_destination' : 'requires_signature',
    sequence: 1,
    ...{ destination, destinationProof: destination && 'merchant' },
    ...{ from: null, isFromVerified: null, isSigned: false },
    ...{ confirmations: 0, attachedTxHash: null, transfer: null, succeededAt: null },
  }
}

/**
 * A refund of an intent pays back its credited transfers. A transfer can be refunded while it is credited to no intent.
 */
function refuseSource({ transfer, token }: LockedSource): void {
  if (!transfer) return
  if (transfer.intentId !== null) {
    const message = `This transfer is credited to ${transfer.intentId}: refund that payment intent.`
    throw conflict('illegal_state', message)
  }
  if (transfer.token !== token) {
    throw conflict(
      'illegal_state',
      'This transfer is of another token than USDC: send it back yourself.',
    )
  }
}

function refundedAmount({ source }: LockedSource, units: number | undefined): bigint {
  if (notCanceledRefunds(source).length >= limits.refunds) {
    const message = `The payment has ${limits.refunds} refunds already, the maximum.`
    throw conflict('amount_exceeds_refundable', message)
  }
  const refundable = refundableUnits(source)
  const amount = units === undefined ? refundable : BigInt(units)
  if (amount > refundable || amount < BigInt(limits.refundUnits)) {
    const available = refundable > 0n ? refundable : 0n
    const message = `${available} units can be refunded now: the amount received with the required confirmations, less the refunds that are not canceled. The minimum is ${limits.refundUnits}.`
    throw conflict('amount_exceeds_refundable', message)
  }
  return amount
}

function sourceOf({ payment_intent, transfer }: RequestOf<'createRefund'>['body']): SourceId {
  if (transfer !== undefined) return { type: 'transfer', id: transfer }
  return { type: 'payment_intent', id: payment_intent as string }
}

function idempotentRequest({ header, body }: Request, metadata: string): IdempotentRequest | null {
  const key = idempotencyKey(header('idempotency-key'))
  if (key === null) return null
  const { payment_intent, transfer, amount_units, destination, reason } = body
  // Values in a fixed order: the order of a request's properties does not matter.
  const values = [payment_intent, transfer, amount_units, destination, reason, metadata]
  return { key, fingerprint: JSON.stringify(values) }
}
