import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../transport/httpContext.ts'
import { sendFile, staticFile } from '../transport/staticFile.ts'

/**
 * The page `/receipt#<JSON>`, which shows a receipt and checks it on the chain. It calls the chain's public RPC itself,
 * and calls this service to confirm the receipt.
 */
export function receiptPageRoute(app: FastifyInstance, { followed, network }: HttpContext): void {
  const networks = followed.flatMap(({ chainId }) => {
    const { name, rpcUrl, explorerUrl } = network(chainId) ?? {}
    return rpcUrl ? [{ chainId, name, rpcUrl, explorerUrl }] : []
  })
  const byChainId = Object.fromEntries(
    networks.map(({ chainId, ...details }) => [chainId, details]),
  )
  const page = staticFile('text/html; charset=utf-8', Buffer.from(pageOf(byChainId)))
  const headers = {
    'content-security-policy': policyOf(networks.map(({ rpcUrl }) => new URL(rpcUrl).origin)),
    'referrer-policy': 'no-referrer',
  }
  app.get('/receipt', async (request, reply) => sendFile(request, reply.headers(headers), page))

  const path = fileURLToPath(import.meta.resolve('@payment-intents/browser/receiptPage.js'))
  const script = staticFile('text/javascript; charset=utf-8', readFileSync(path))
  app.get('/v1/receipt.js', async (request, reply) => sendFile(request, reply, script))
}

function pageOf(networks: object): string {
  const attribute = JSON.stringify(networks).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Receipt</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>Checking a receipt needs JavaScript. Turn it on for this site, then open your link again.</noscript>
<script src="/v1/receipt.js" data-networks="${attribute}"></script>
</body>
</html>
`
}

function policyOf(rpcOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src ${["'self'", ...new Set(rpcOrigins)].join(' ')}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}
