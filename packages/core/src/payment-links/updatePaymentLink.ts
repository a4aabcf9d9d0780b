import { notFoundError } from '../http/httpError.ts'
import { metadataOf } from '../http/readRequest.ts'
import { returnOriginIn } from '../payment-intents/checkout/returnOrigin.ts'
import { linkPicture } from '../pictures/linkPicture.ts'
import type { Picture } from '../pictures/pictureOf.ts'
import type { Handler, ServiceRequest } from '../service.ts'
import { changePaymentLink } from './changePaymentLink.ts'
import type { LinkSettings } from './paymentLink.ts'
import { presentPaymentLink } from './presentPaymentLink.ts'

export const updatePaymentLink: Handler<'updatePaymentLink'> = async (service, request) => {
  const { actor, id, body } = request
  const picture = body.picture ? linkPicture(body.picture) : null
  const change = changeOf(request, picture)
  const origin = returnOriginIn(actor.mode, body.return_url)
  const locking = { id, origin, activates: body.active === true, picture }
  const link = await service.store.paymentLinks.underLock(actor, locking, (before, context) =>
    changePaymentLink(before, change, { ...context, now: service.now() }),
  )
  if (!link) throw notFoundError('payment link')
  return { body: presentPaymentLink(link, service.publicUrl) }
}

/** The fields that the request names. */
function changeOf(
  request: ServiceRequest<'updatePaymentLink'>,
  picture: Picture | null,
): Partial<LinkSettings> {
  const { active, description, metadata, max_payments, expires_at, return_url } = request.body
  return {
    ...(active === undefined ? {} : { active }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata: metadataOf(request) }),
    ...(max_payments === undefined ? {} : { maxPayments: max_payments }),
    ...(expires_at === undefined
      ? {}
      : { expiresAt: expires_at === null ? null : Date.parse(expires_at) }),
    ...(return_url === undefined ? {} : { returnUrl: return_url }),
    ...(request.body.picture === undefined ? {} : { picture: picture?.hash ?? null }),
  }
}
