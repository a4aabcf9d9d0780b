import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { boundedMap } from '../../lib/boundedMap.ts'
import { findLinkBrand } from '../../store/merchants/brands.ts'
import { headersOf } from '../checkout/hostedCheckout.ts'
import { type Page, pageOf } from '../checkout/hostedPageHtml.ts'
import { type PageBrand, presentBrand } from '../checkout/presentBrand.ts'
import { createPayerLimits } from '../limits/payerLimits.ts'
import { languageOf, nameOfPayment } from '../pages/languageOf.ts'
import type { HttpContext } from '../transport/httpContext.ts'
import { type StaticFile, sendFile, staticFile } from '../transport/staticFile.ts'

export function linkPageScript(app: FastifyInstance): void {
  const path = fileURLToPath(import.meta.resolve('@payment-intents/browser/linkPage.js'))
  const script = staticFile('text/javascript; charset=utf-8', readFileSync(path))
  app.get('/v1/link_page.js', async (request, reply) => sendFile(request, reply, script))
}

const brandCachedForMs = 60_000

/**
 * The page of a payment link, in its merchant's brand. It creates nothing, so that robots which preview links leave no
 * payments: the script requests the link, and a payment is created when the payer presses the button.
 */
export function createLinkPage(
  context: HttpContext,
): (request: FastifyRequest, reply: FastifyReply) => unknown {
  const { limit } = createPayerLimits(context)
  const brands = boundedMap<{ readonly brand: PageBrand | null; readonly until: number }>(10_000)
  const drawn = boundedMap<{ page: Page; file: StaticFile }>(1_000)

  return async (request, reply) => {
    const { id } = request.params as { id: string }
    const { page, file } = draw(request, await findBrand(id))
    return sendFile(request, reply.headers(headersOf(page)), file, ['accept', 'accept-language'])
  }

  /** While the database is unreachable, the brand is the cached one or null. */
  async function findBrand(id: string): Promise<PageBrand | null> {
    const now = performance.now()
    const cached = brands.get(id)
    if (cached && cached.until > now) return cached.brand
    try {
      const stored = await limit(() => findLinkBrand(context.db.pool, id))
      const brand = stored && presentBrand(stored)
      brands.set(id, { brand, until: now + brandCachedForMs })
      return brand
    } catch (error) {
      context.database.report(error)
      return cached?.brand ?? null
    }
  }

  function draw(request: FastifyRequest, brand: PageBrand | null) {
    const { tag, direction } = languageOf(request)
    const [language = 'en'] = tag.toLowerCase().split('-')
    const { theme: requestedTheme } = request.query as { theme?: unknown }
    const theme = requestedTheme === 'light' || requestedTheme === 'dark' ? requestedTheme : null
    const key = JSON.stringify([language, theme, brand])
    const cached = drawn.get(key)
    if (cached) return cached
    const page = pageOf(null, {
      ...{ tag: language, direction, theme, brand },
      ...{ title: nameOfPayment(language), script: '/v1/link_page.js' },
    })
    const file = staticFile('text/html; charset=utf-8', Buffer.from(page.html))
    drawn.set(key, { page, file })
    return { page, file }
  }
}
