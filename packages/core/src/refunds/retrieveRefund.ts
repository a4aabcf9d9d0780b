import { notFoundError } from '../http/httpError.ts'
import type { Handler, Service } from '../service.ts'
import { additionsOf, presentInRefundEvent, withAdditions } from './presentRefund.ts'
import type { Refund } from './refund.ts'
import { isCovered, type RefundSource } from './refundable.ts'

/** A refund with its source. */
export type RefundWithSource = { readonly refund: Refund; readonly source: RefundSource }

type Presenting = Pick<Service, 'clock' | 'publicUrl' | 'secrets'>

export const retrieveRefund: Handler<'retrieveRefund'> = async (service, { actor, id }) => {
  const stored = await service.store.refunds.find(actor, id)
  if (!stored) throw notFoundError('refund')
  return { body: presentStored(service, stored) }
}

/**
 * A refund by itself, as JSON text: with its link, and with the terms to sign if it waits for a signature.
 * @param text as stored, to present another state of the refund
 */
export function presentStored(
  service: Presenting,
  { refund, source }: RefundWithSource,
  text: string = presentInRefundEvent(refund),
): string {
  const page = `${service.publicUrl}/refund/#${service.secrets.refundToken(refund.id)}`
  const { now } = service.clock(refund.chainId)
  return withAdditions(text, additionsOf(refund, { page, isCovered: isCovered(source), now }))
}
