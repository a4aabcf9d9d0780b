import { conflict, notFound, presentInEvent } from '@payment-intents/rules'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Acted, acceptIntent, assignTransfer, cancelIntent } from '../intents/act.ts'
import { logEvents } from '../logEvents.ts'
import type { HttpContext } from './context.ts'
import { serve } from './serve.ts'

/**
 * What a merchant does to an intent. Each is idempotent by nature, so an `Idempotency-Key` is not looked at:
 * done again, it is answered with the intent as it is.
 */
export function actRoutes(app: FastifyInstance, context: HttpContext): void {
  const { db, clock } = context

  serve(app, context, 'cancelPaymentIntent', async ({ actor, id, request }) =>
    present(context, request, 'payment intent', await cancelIntent(db, actor, id, clock)),
  )
  serve(app, context, 'acceptPaymentIntent', async ({ actor, id, request }) =>
    present(context, request, 'payment intent', await acceptIntent(db, actor, id, clock)),
  )
  serve(app, context, 'assignTransfer', async ({ actor, id, body, request }) => {
    const acted = await assignTransfer(db, actor, id, body.payment_intent, clock)
    return present(context, request, 'transfer or payment intent', acted)
  })
}

function present(
  { metrics }: HttpContext,
  { log }: FastifyRequest,
  noun: Parameters<typeof notFound>[0],
  acted: Acted,
): string {
  switch (acted.type) {
    case 'done':
      metrics.recorded(acted.intent.chainId, acted.events)
      logEvents(log, acted.intent.chainId, acted.events)
      return presentInEvent(acted.intent)
    case 'not_found':
      throw notFound(noun)
    case 'refused':
      throw conflict(acted.reason ?? 'illegal_state', acted.message)
  }
}
