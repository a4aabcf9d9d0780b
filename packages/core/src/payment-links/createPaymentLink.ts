import { creationConflict } from '../http/httpError.ts'
import { idempotencyKey, metadataOf } from '../http/readRequest.ts'
import { returnOriginIn } from '../payment-intents/checkout/returnOrigin.ts'
import type { IdempotentRequest } from '../payment-intents/store.ts'
import { linkPicture } from '../pictures/linkPicture.ts'
import type { Picture } from '../pictures/pictureOf.ts'
import type { Handler, ServiceRequest } from '../service.ts'
import { newPaymentLink } from './newPaymentLink.ts'
import { presentPaymentLink } from './presentPaymentLink.ts'

type Request = ServiceRequest<'createPaymentLink'>

/** Creates one link for each idempotency key. */
export const createPaymentLink: Handler<'createPaymentLink'> = async (service, request) => {
  const { actor, merchant, body } = request
  const metadata = metadataOf(request)
  const picture = body.picture ? linkPicture(body.picture) : null
  const idempotency = idempotentRequest(request, metadata, picture)
  const origin = returnOriginIn(actor.mode, body.return_url)
  const created = await service.store.paymentLinks.create(
    actor,
    { origin, idempotency, picture },
    (context) => {
      const link = newPaymentLink(body, metadata, {
        ...{ ...context, merchant, now: service.now() },
        newId: (createdAt) => service.newId('plink', createdAt),
        confirmations: service.confirmations(actor.mode),
        picture: picture?.hash ?? null,
      })
      return { link, response: presentPaymentLink(link, service.publicUrl) }
    },
  )
  switch (created.type) {
    case 'mismatch':
      throw creationConflict('idempotency_key_reused')
    case 'created':
      return { body: created.response }
    case 'replayed':
      return { body: created.response, headers: { 'idempotent-replayed': 'true' } }
  }
}

function idempotentRequest(
  { header, body }: Request,
  metadata: string,
  picture: Picture | null,
): IdempotentRequest | null {
  const key = idempotencyKey(header('idempotency-key'))
  if (key === null) return null
  // Values in a fixed order: the order of a request's properties does not matter.
  const values = [
    body.amount_units,
    body.min_units,
    body.max_units,
    body.description,
    body.chains,
    body.max_payments,
    body.expires_at,
    body.return_url,
    picture?.hash,
    metadata,
  ]
  return { key, fingerprint: JSON.stringify(values) }
}
