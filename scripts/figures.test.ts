import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const server = 'apps/server/src'

/** A sentence of a document, and the code of its figure, which its file has once. Change both, or neither. */
const figures: readonly [document: string, sentence: string, source: string, code: string][] = [
  [
    'decisions/following',
    'After 30 seconds the transaction is in quarantine',
    `${server}/chain/polling/quarantine.ts`,
    '= 30_000',
  ],
  [
    'decisions/following',
    'A poll takes 1,000 transactions',
    `${server}/chain/polling/selectUrgent.ts`,
    '= 1_000',
  ],
  [
    'decisions/following',
    'and 5,000 transfers',
    `${server}/chain/polling/selectUrgent.ts`,
    '= 5_000',
  ],
  [
    'decisions/two-providers',
    'more than ten blocks behind',
    `${server}/chain/providers/headProgress.ts`,
    '= 10n',
  ],
  [
    'decisions/two-providers',
    'has not risen for 30 seconds',
    `${server}/store/chains/providerHeads.ts`,
    '= 30',
  ],
  [
    'decisions/two-providers',
    'Every poll reads the last ten blocks',
    `${server}/chain/polling/branches.ts`,
    '= 10n',
  ],
  [
    'decisions/two-providers',
    'a minute and about fifteen minutes later',
    `${server}/chain/polling/reread.ts`,
    '[30n, 450n]',
  ],
  [
    'decisions/authorizations',
    'within 15 seconds is withdrawn',
    `${server}/store/authorizations/withdrawAuthorizations.ts`,
    '= 15',
  ],
  [
    'debugging',
    'after three blocks it is sent again',
    `${server}/relayer/cycle/takeSnapshot.ts`,
    '= 3n',
  ],
  ['decisions/authorizations', 'a fifth of a day', `${server}/config/relayer.ts`, '= 5n'],
  [
    'decisions/webhook-delivery',
    'lasts 15 seconds at most',
    'packages/contract/src/windows.ts',
    'webhookResponse: 15',
  ],
  [
    'decisions/webhook-delivery',
    'An endpoint gets at most 16',
    `${server}/webhooks/deliverWebhooks.ts`,
    '= 16',
  ],
  [
    'decisions/webhook-delivery',
    'A process makes 512 attempts at once',
    `${server}/serve.ts`,
    'concurrency: 512',
  ],
  [
    'decisions/webhook-delivery',
    'read for a second and 16 KiB',
    `${server}/webhooks/createPoster.ts`,
    '= 16 * 1024',
  ],
  [
    'decisions/webhook-delivery',
    'read for a second',
    `${server}/webhooks/createPoster.ts`,
    '= 1_000',
  ],
  [
    'decisions/load',
    'up to ten seconds old',
    `${server}/store/payment-intents/intentCache.ts`,
    '= 10_000',
  ],
  [
    'decisions/load',
    'API keys stay in memory for a second',
    `${server}/http/authentication/apiKeyCache.ts`,
    'validForMs = 1_000',
  ],
  ['decisions/load', 'queue for up to five seconds', `${server}/app.ts`, 'waitMs: 5_000'],
  ['decisions/lists', 'After 1,000 steps', `${server}/store/lists/mergeIndexScans.ts`, '= 1_000'],
  [
    'decisions/matching',
    'less than 1 % of the price',
    'packages/core/src/payment-intents/payingTransfers.ts',
    'transfer.amount * 100n < amount',
  ],
  [
    'decisions/wallets',
    'an end ten minutes later',
    'packages/contract/src/windows.ts',
    'walletProof: 10 * 60',
  ],
  [
    'decisions/checkout',
    'opens once, for five minutes',
    'packages/contract/src/windows.ts',
    'handoff: 5 * 60',
  ],
  [
    'database',
    'connections for requests (10), 3 for its own work',
    `${server}/ops/workers/backgroundPool.ts`,
    '= 3',
  ],
  [
    'database',
    'waiting requests are checked every 0.75 s',
    `${server}/store/notifications.ts`,
    '= 750',
  ],
  ['database', '5 s of lease', `${server}/store/chains/cursors.ts`, '= 5'],
  ['database', 'goes on within 250 ms', `${server}/store/connection/watchDatabase.ts`, '= 250'],
  [
    'observing',
    'Every server notices within five seconds',
    `${server}/store/connection/watchWrites.ts`,
    'everyMs = 5_000',
  ],
  ['observing', 'a chain was last read a minute ago', `${server}/http/probes/health.ts`, '= 60'],
  [
    'threat-model',
    'withdraws what nobody broadcast in 15 seconds',
    `${server}/store/authorizations/withdrawAuthorizations.ts`,
    '= 15',
  ],
  [
    'threat-model',
    '20 open payments of an address',
    'packages/contract/src/schemas/paymentIntent.ts',
    'openAddressPayments: 20',
  ],
  [
    'threat-model',
    '5,000 of a link',
    'packages/contract/src/schemas/paymentIntent.ts',
    'openLinkPayments: 5_000',
  ],
  [
    'threat-model',
    '60 a minute per address',
    `${server}/serve.ts`,
    'keyLimit: { max: 60, windowMs: 60_000 }',
  ],
  ['threat-model', 'ended after 20 s', `${server}/http/transport/baseApp.ts`, '= 20_000'],
  [
    'threat-model',
    'a proof of the last ten minutes',
    `${server}/account/accountSession.ts`,
    '= 10 * 60 * 1_000',
  ],
]

test.each(figures)('docs/%s: %s', (document, sentence, source, code) => {
  const text = readFileSync(join(root, 'docs', `${document}.md`), 'utf8').replaceAll(/\s+/g, ' ')
  expect(text).toContain(sentence)
  const figure = new RegExp(`${code.replaceAll(/[.*[\]{}]/g, '\\$&')}(?! ?[\\w*])`, 'g')
  expect(readFileSync(join(root, source), 'utf8').match(figure), source).toHaveLength(1)
})
