import { conflict, notFoundError } from '../http/httpError.ts'
import type { Handler, Service, ServiceResponse } from '../service.ts'
import { destinationOf, refuseDestination } from './destination.ts'
import type { Refund } from './refund.ts'
import { presentStored } from './retrieveRefund.ts'
import type { ChangedRefund } from './store.ts'
import { type AppliedToRefund, applyRefundFacts, type RefundFact } from './transitionRefund.ts'

// A merchant's actions on refunds. Each is idempotent, so it needs no `Idempotency-Key`: a repeated action returns the
// refund unchanged.

export const updateRefund: Handler<'updateRefund'> = async (service, { actor, id, body }) => {
  const destination = destinationOf(body.destination)
  const request = { id, address: destination }
  const changed = await service.store.refunds.underLock(actor, request, ({ refund, role }) => {
    refuseDestination(destination, { token: refund.token, role })
    return applyOrRefuse(refund, { type: 'destination_named', destination })
  })
  return respondWith(service, changed)
}

export const confirmRefund: Handler<'confirmRefund'> = async (service, { actor, id, body }) => {
  const destination = destinationOf(body.destination)
  const changed = await service.store.refunds.underLock(actor, { id }, ({ refund }) =>
    applyOrRefuse(refund, { type: 'destination_confirmed', destination }),
  )
  return respondWith(service, changed)
}

export const cancelRefund: Handler<'cancelRefund'> = async (service, { actor, id }) => {
  const changed = await service.store.refunds.underLock(actor, { id }, ({ refund }) =>
    applyOrRefuse(refund, { type: 'cancel' }),
  )
  return respondWith(service, changed)
}

/** @throws {HttpError} `conflict` if the refund does not allow it */
export function applyOrRefuse(refund: Refund, fact: RefundFact): AppliedToRefund {
  const applied = applyRefundFacts(refund, [fact])
  if (applied.refused) throw conflict(applied.refused.reason, applied.refused.message)
  return applied
}

export function respondWith(
  service: Pick<Service, 'clock' | 'publicUrl' | 'secrets'>,
  changed: ChangedRefund | null,
): ServiceResponse {
  if (!changed) throw notFoundError('refund')
  const written = { chainId: changed.refund.chainId, events: changed.events }
  return { body: presentStored(service, changed), written }
}
