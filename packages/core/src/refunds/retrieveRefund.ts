import { notFound } from '../http/httpError.ts'
import type { Handler, Service } from '../service.ts'
import { presentInRefundEvent, type Signing, signingOf, withSigning } from './presentRefund.ts'
import type { Refund } from './refund.ts'
import { isCovered, type RefundSource } from './refundable.ts'

/** A refund with what it pays back. */
export type StoredRefund = { readonly refund: Refund; readonly source: RefundSource }

export const retrieveRefund: Handler<'retrieveRefund'> = async (service, { actor, id }) => {
  const stored = await service.store.refunds.find(actor, id)
  if (!stored) throw notFound('refund')
  return { body: presentStored(service, stored) }
}

/** A refund by itself, as JSON text: with what to sign, if it waits for that. */
export function presentStored(service: Pick<Service, 'clock'>, stored: StoredRefund): string {
  return withSigning(presentInRefundEvent(stored.refund), signingNow(service, stored))
}

export function signingNow({ clock }: Pick<Service, 'clock'>, stored: StoredRefund): Signing {
  const { refund, source } = stored
  return signingOf(refund, { isCovered: isCovered(source), now: clock(refund.chainId).now })
}
