import type { RequestOf } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { conflict, HttpError, internalError, invalidBody } from '../http/httpError.ts'
import { noSuchIntent } from '../payment-intents/checkout/noSuchIntent.ts'
import { presentAuthorized } from '../payment-intents/present.ts'
import type { Service } from '../service.ts'
import type { SubmittedAuthorization } from './store.ts'
import { submitAuthorization } from './submitAuthorization.ts'

/** Submits the authorization of a payer without gas, from the checkout. @param id of the client secret's intent */
export async function authorizePaymentIntent(
  service: Service,
  id: string,
  { authorization, signature }: RequestOf<'authorizePaymentIntent'>['body'],
): Promise<{ body: string; isNew: boolean }> {
  const stored = await service.store.paymentIntents.findForCheckout(id)
  if (!stored || !service.network(stored.intent.chainId)) throw noSuchIntent()
  const submitted = await submitAuthorization(service, {
    intent: stored.intent,
    authorization,
    signature: signature as Hex,
    source: 'checkout',
  })
  return { body: present(submitted), isNew: submitted.type === 'accepted' }
}

/** @throws {HttpError} if the authorization was refused */
function present(submitted: SubmittedAuthorization): string {
  switch (submitted.type) {
    case 'accepted':
    case 'repeated':
      return presentAuthorized(submitted.intent, submitted.authorization)
    case 'mismatched':
      throw invalidBody(submitted.issues)
    case 'refused': {
      const { reason, message } = submitted
      if (reason !== 'signature_invalid') throw conflict(reason, message)
      const issues = [{ path: 'signature', message }]
      throw new HttpError('invalid_body', message, { reason, issues })
    }
    case 'unavailable':
      throw internalError()
  }
}
