import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { languageOf, nameOfPayment } from '../pages/languageOf.ts'
import { type StaticFile, sendFile, staticFile } from '../transport/staticFile.ts'
import { headersOf } from './hostedCheckout.ts'
import { type Page, pageOf } from './hostedPage.ts'

/** The script of the page of a payment link. */
export function linkPageScript(app: FastifyInstance): void {
  const path = fileURLToPath(import.meta.resolve('@payment-intents/browser/linkPage.js'))
  const script = staticFile('text/javascript; charset=utf-8', readFileSync(path))
  app.get('/v1/link_page.js', async (request, reply) => sendFile(request, reply, script))
}

/**
 * The page of a payment link. To show it reads and changes nothing, so that robots that preview links cost nothing: the script
 * asks what the link is, and the payer's press creates a payment.
 */
export function createLinkPage(): (request: FastifyRequest, reply: FastifyReply) => unknown {
  const drawn = new Map<string, { page: Page; file: StaticFile }>()

  return (request, reply) => {
    const { page, file } = draw(request)
    return sendFile(request, reply.headers(headersOf(page)), file, ['accept', 'accept-language'])
  }

  /** There are as many as languages and themes. */
  function draw(request: FastifyRequest) {
    const { tag, direction } = languageOf(request)
    const [language = 'en'] = tag.toLowerCase().split('-')
    const { theme: asked } = request.query as { theme?: unknown }
    const theme = asked === 'light' || asked === 'dark' ? asked : null
    const key = `${language} ${theme}`
    const known = drawn.get(key)
    if (known) return known
    const page = pageOf(null, {
      ...{ tag: language, direction, theme },
      ...{ title: nameOfPayment(language), script: '/v1/link_page.js' },
    })
    const file = staticFile('text/html; charset=utf-8', Buffer.from(page.html))
    drawn.set(key, { page, file })
    return { page, file }
  }
}
