import { type CheckoutIntent, isPaid, received } from '@payment-intents/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CheckoutSession, findSession } from '../../store/payment-intents/handoffs.ts'
import { findForCheckouts } from '../../store/payment-intents/paymentIntents.ts'
import { createPayerLimits } from '../limits/payerLimits.ts'
import { languageOf } from '../pages/languageOf.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { sendFile, staticFile } from '../transport/staticFile.ts'
import { sessionHashes } from './checkoutCookie.ts'
import { checkoutScript } from './checkoutScript.ts'
import { type Page, pageOf } from './hostedPageHtml.ts'
import { presentBrand } from './presentBrand.ts'

/**
 * The checkout as its own page: `/checkout/#<client_secret>`, `/checkout/h/<token>`, and `/checkout/<id>` once it has a
 * session. A browser does not send the fragment, and the script removes it from the address bar.
 *
 * Invariant: a `GET` changes nothing. Without a session the page is the same for everybody, and contains no part of the
 * request.
 */
export function hostedCheckoutRoutes(app: FastifyInstance, context: HttpContext): void {
  const empty = pageOf(null)
  const blank = staticFile('text/html; charset=utf-8', Buffer.from(empty.html))
  const script = checkoutScript()
  const { limit, countAddress } = createPayerLimits(context)

  const sendBlank = async (request: FastifyRequest, reply: FastifyReply) =>
    sendFile(request, reply.headers(headersOf(empty)), blank)
  app.get('/checkout', sendBlank)
  app.get('/checkout/*', sendBlank)
  app.get('/v1/checkout.js', async (request, reply) => sendFile(request, reply, script))

  app.get<{ Params: { id: string } }>('/checkout/:id', async (request, reply) => {
    const { id } = request.params
    if (!intentId.test(id)) return sendBlank(request, reply)
    const page = (await drawn(request, id)) ?? empty
    reply.headers(headersOf(page))
    // The back button may show the stored page; any other visit revalidates it.
    reply.header('cache-control', 'private, no-cache').header('vary', 'cookie')
    return reply.type('text/html; charset=utf-8').send(page.html)
  })

  /** null: there is no session, or the database cannot be read now. The script then requests the session itself. */
  async function drawn(request: FastifyRequest, id: string): Promise<Page | null> {
    const hashes = sessionHashes(request)
    if (hashes.length === 0) return null
    await countAddress(request)
    try {
      const intentShown = await limit(async () => {
        const session = await findSession(context.db.pool, { hashes, intentId: id })
        const shown = session && (await findForCheckouts(context.db.pool, [id])).get(id)
        return shown && { ...shown.value, brand: session.brand }
      })
      return intentShown ? pageOf(summaryOf(intentShown, request)) : null
    } catch (error) {
      context.database.report(error)
      return null
    }
  }
}

const intentId = /^pi_[0-9a-z]{30}$/

type Shown = CheckoutIntent & Pick<CheckoutSession, 'brand'>

function summaryOf({ intent, merchantName, brand }: Shown, request: FastifyRequest) {
  const { theme } = request.query as { theme?: unknown }
  const amountDue = isPaid(intent) ? intent.amount : intent.amount - received(intent)
  return {
    ...languageOf(request),
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    merchant: merchantName,
    brand: brand && presentBrand(brand),
    units: amountDue > 0n ? amountDue : intent.amount,
    description: descriptionOf(intent.metadata),
  } as const
}

const maxDescription = 200

/** `metadata.description`, the merchant's description of the payment, if the checkout shows it. */
function descriptionOf(metadata: string): string | null {
  const { description } = JSON.parse(metadata) as { description?: unknown }
  const isShown = typeof description === 'string' && description.length <= maxDescription
  return isShown ? description : null
}

/** Headers of a page that loads from this server alone, and sends requests to it alone. */
export function headersOf({ stylesHash }: Page) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src '${stylesHash}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    // Wallets that open their own window report to the page through it.
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  }
}
