import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { amountOf, escaped, plain } from '../pages/html.ts'
import { languageOf } from '../pages/languageOf.ts'
import { type X402PageState, x402PageMessages } from './x402PageMessages.ts'

/** The page for a person who opens a link for programs; `ended`: the link can no longer be paid, or never could. */
export type X402Page =
  | {
      readonly state: Exclude<X402PageState, 'ended'>
      readonly units: bigint
      readonly merchant: string
    }
  | { readonly state: 'ended' }

/** Whether a browser opened the link. An x402 client accepts any type. */
export function isOpenedByBrowser({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && /(^|,)\s*text\/html\s*(;|,|$)/.test(headers.accept ?? '')
}

/** Tells a person about the link, and how to pay. Keeps the status and headers that the reply has. */
export function sendX402Page(request: FastifyRequest, reply: FastifyReply, page: X402Page) {
  const { tag, direction } = languageOf(request)
  const messages = x402PageMessages[tag.toLowerCase().split('-')[0] as 'en'] ?? x402PageMessages.en
  const { title, text } = messages[page.state]
  const values =
    page.state === 'ended'
      ? {}
      : { amount: `${amountOf(page.units, tag)}\u00a0USDC`, merchant: plain(page.merchant) }
  const filled = Object.entries<string>(values).reduce(
    (sentence, [name, value]) =>
      sentence.replace(`{${name}}`, () => `<bdi>${escaped(value)}</bdi>`),
    escaped(text),
  )
  return reply
    .headers({
      'content-security-policy': `default-src 'none'; style-src '${stylesHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'content-language': tag,
    })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="${escaped(tag)}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escaped(title)}</title>
<style>${styles}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${filled}</p>
</main>
</body>
</html>
`)
}

/** The colors are those of the hosted page. */
const styles = `
:root{color-scheme:light dark;--page:light-dark(#eef0f4,#0a0c0f);--paper:light-dark(#fff,#14171c);--ink:light-dark(#10131a,#f2f4f7)}
body{min-height:100vh;margin:0;display:grid;place-items:center;box-sizing:border-box;padding:16px;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:440px;padding:24px 28px 28px;border-radius:24px;background:var(--paper)}
h1{margin:0 0 8px;font-size:20px;line-height:1.3}
p{margin:0}
`

const stylesHash = `sha256-${createHash('sha256').update(styles).digest('base64')}`
