import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendFile, staticFile } from './staticFile.ts'

/**
 * The checkout as a page of its own, for merchants who have none: `/checkout/#<client_secret>`. A browser
 * keeps the fragment to itself, and the script takes it out of the address bar.
 *
 * Invariant: the page is the same for everybody; nothing of a request is put into it.
 */
export function hostedCheckoutRoute(app: FastifyInstance): void {
  const file = staticFile('text/html; charset=utf-8', Buffer.from(page))
  const answer = async (request: FastifyRequest, reply: FastifyReply) =>
    sendFile(request, reply.headers(headers), file)
  app.get('/checkout', answer)
  app.get('/checkout/*', answer)
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Pay with USDC</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>Paying here needs JavaScript. Turn it on for this site, then open your link again.</noscript>
<script src="/v1/browser.js" data-page></script>
</body>
</html>
`

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

const headers = {
  'content-security-policy': policy.join('; '),
  'referrer-policy': 'no-referrer',
  // Wallets that open a window of their own answer through it.
  'cross-origin-opener-policy': 'same-origin-allow-popups',
}
