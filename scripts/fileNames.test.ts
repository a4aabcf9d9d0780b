import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Names that a tool, a framework or a convention requires. */
const conventional = new Set([
  ...['index.ts', 'main.ts', 'main.tsx', 'css.d.ts'],
  ...['tsup.config.ts', 'vite.config.ts', 'vitest.config.ts'],
  // Next.js, and the hosted pages.
  ...['layout.tsx', 'page.tsx', 'route.ts'],
  // SvelteKit.
  ...['+page.server.ts', '+server.ts'],
])

/** Names that several files may have, by the reason: they are the same thing of several nouns, or in several layers. */
const shareable: Readonly<Record<string, string>> = {
  'a noun in schemas, rules, stores, routes and the client': `
    attention.ts authorizations.ts deliveries.ts errorBody.ts events.ts handoff.ts openapi.ts paymentIntents.ts
    paymentLink.ts paymentLinks.ts places.ts refund.ts refundPage.ts refundStore.ts refunds.ts returnOrigin.ts
    returnOrigins.ts settings.ts summary.ts testHelpers.ts transfers.ts webhookEndpoints.ts x402.ts`,
  'an operation: its rule, and its route, its query or its caller': `
    authorizePaymentIntent.ts confirmReceipt.ts createRefund.ts listAttention.ts listPaymentIntents.ts
    listPaymentLinks.ts listRefunds.ts listTransfers.ts previewAuthorization.ts readTimeline.ts reserveAmount.ts
    retrieveSummary.ts signRefund.ts submitAuthorization.ts`,
  'the store that a noun of core requires': 'store.ts',
  'an adapter of a framework, for webhooks and for x402': 'express.ts fastify.ts hono.ts next.ts',
  'filters and tabs of a page of the dashboard': 'filters.ts tabs.tsx',
  'messages of a page for payers': 'messages.ts',
  'orders and payments of each shop': 'orders.ts prices.ts startPayment.ts',
  'the server, the frame of its pages and the configuration of each app':
    'Layout.tsx app.ts config.ts',
  'the same helper in packages that do not share it': `
    checkOptions.ts pause.ts rpcTransport.ts send.ts version.ts`,
  'the violated invariant of each trial': 'violation.ts',
}

test('two files share a name only if they are the same thing of two nouns', () => {
  const paths = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', '*.ts', '*.tsx'],
    { cwd: root, encoding: 'utf8' },
  )
    .trim()
    .split('\n')
    .filter((path) => !/\.test(-d)?\.tsx?$/.test(path))
  expect(paths.length).toBeGreaterThan(500)
  const byName = Map.groupBy(paths, (path) => basename(path))
  const shared = new Map(
    [...byName].filter(([name, sharing]) => sharing.length > 1 && !conventional.has(name)),
  )
  const allowed = new Set(Object.values(shareable).flatMap((names) => names.trim().split(/\s+/)))
  const different = [...shared].filter(([name]) => !allowed.has(name))
  expect(
    different.map(([, sharing]) => sharing.join(', ')),
    'files of different things: name each by its role',
  ).toEqual([])
  expect(
    [...allowed].filter((name) => !shared.has(name)),
    'no longer shared: remove it from the list',
  ).toEqual([])
})
