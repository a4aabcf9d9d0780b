import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { sendFile, staticFile } from '../transport/staticFile.ts'

/** The page `/refund/#<token>`, on which a payer names a refund's destination. A browser does not send the fragment. */
export function refundPageRoute(app: FastifyInstance): void {
  const page = staticFile('text/html; charset=utf-8', Buffer.from(html))
  const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }
  app.get('/refund/', async (request, reply) => sendFile(request, reply.headers(headers), page))

  const path = fileURLToPath(import.meta.resolve('@payment-intents/browser/refundPage.js'))
  const script = staticFile('text/javascript; charset=utf-8', readFileSync(path))
  app.get('/v1/refund.js', async (request, reply) => sendFile(request, reply, script))
}

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Refund</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. Turn it on for this site, then open your link again.</noscript>
<script src="/v1/refund.js"></script>
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
  "require-trusted-types-for 'script'",
].join('; ')
