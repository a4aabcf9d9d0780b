import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chainFacts, endpoints, limits, openapi, windows } from '@payment-intents/contract'
import { expect, test } from 'vitest'
import { readConfig } from '../apps/server/src/config.ts'
import {
  deliveryTimeoutMs,
  dustUnits,
  failingDays,
  maxEndpoints,
  nextWait,
} from '../packages/core/src/index.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Numbers that a module keeps to itself: the value of each `name = …` or `name: …`, in order. */
function numbersIn(file: string, name: string): number[] {
  const matches = read(file).matchAll(
    new RegExp(`\\b${name}(?:: \\w+)? ?[=:?]+ (\\d[\\d_n.* ]*)`, 'g'),
  )
  const numbers = [...matches].map(([, product = '']) =>
    product
      .split('*')
      .reduce((value, factor) => value * Number(factor.replaceAll(/[_n ]/g, '')), 1),
  )
  if (numbers.length === 0) throw new Error(`${file} has no number ${name}.`)
  return numbers
}

const number = (file: string, name: string) => Number(numbersIn(file, name)[0])

const words = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ')
const word = (value: number) => words[value] ?? String(value)
const digits = (value: number) => value.toLocaleString('en')
const day = 24 * 60 * 60
const hour = 60 * 60

const kib = ({ bodyBytes }: { bodyBytes: number }) => `${bodyBytes / 1024} KiB`
const { payerRequests } = limits

const server = 'apps/server/src'
const browser = 'packages/browser/src'
const client = 'packages/node/src'

const config = (env: Record<string, string>) =>
  readConfig({
    RPC_URL_BASE_TESTNET: 'http://localhost:8545',
    RPC_URL_POLYGON_TESTNET: 'http://localhost:8546',
    RELAYER_KEY_BASE_TESTNET: '7c2a9f31e4b85d06c3f91a7e20d84b6f5e13c9a07b42d86fe15a3c90b7d4f268',
    RELAYER_KEY_POLYGON_TESTNET: '3e91c07d5a6f24b8e90d13c7f5a286b4d01e7f93c8a5462bd7f0e93a1c645b82',
    ...env,
  })
const usual = config({})
const developing = config({ DEVELOPMENT_CHAIN: 'true' })
const [base, polygon] = usual.chains
const gwei = (of: typeof base) => Number(of?.relayer?.maxFeePerGas) / 1e9
const coins = (of: typeof base) => Number(of?.relayer?.dailySpend) / 1e18
const row = (name: string, value: string) => `| \`${name}\` | ${value} |`

const waits = Array.from({ length: 9 }, (_, index) => {
  const ms = nextWait({ attempts: index + 1, retryAfterMs: null, random: 0 }) ?? 0
  const [unit, size] =
    ms >= hour * 1_000 ? ['h', 3_600_000] : ms >= 60_000 ? ['min', 60_000] : ['s', 1_000]
  return `${ms / Number(size)} ${unit}`
})

const [creation, usualCall] = [
  `${client}/resources/paymentIntents.ts`,
  `${client}/options/clientOptions.ts`,
]
const picture = limits.linkPictureSide
const bundles = JSON.parse(read('.size-limit.json')).map(({ limit }: { limit: string }) => limit)

/** Sentences with a figure. The figure comes from the code: a constant that changes makes its sentence fail. */
const sentences: Record<string, readonly string[]> = {
  'README.md': [
    `| \`PORT\`, \`HOST\` | \`${usual.port}\`, \`${usual.host}\` |`,
    row('WORKERS', `\`${usual.workers}\``),
    row(
      'SHUTDOWN_DELAY_SECONDS',
      `\`${usual.shutdownDelayMs / 1_000}\`; \`${developing.shutdownDelayMs / 1_000}\` on a development chain`,
    ),
    row('DATABASE_WAIT_SECONDS', `\`${usual.waitSeconds}\``),
    row('DATABASE_POOL_SIZE', `\`${usual.poolSize}\``),
    row('DATABASE_TIMEOUT_MS', `\`${usual.databaseTimeoutMs}\``),
    row('POLL_INTERVAL_MS', `\`${usual.pollMs}\`; \`${developing.pollMs}\` on a development chain`),
    row('RESOLVES_PER_ADDRESS', `\`${usual.resolvesPerAddress}\``),
    `| \`${usual.retention.eventDays}\`, \`${usual.retention.unpaidDays}\` | days to keep events`,
    `| \`${gwei(base)}\` on Base, \`${gwei(polygon)}\` on Polygon | highest price of gas`,
    `| \`${coins(base)}\` ETH, \`${coins(polygon)}\` POL | most that it spends`,
    `| \`${base?.confirmationsRequired}\` on Base, \`${polygon?.confirmationsRequired}\` on Polygon | confirmations`,
    `it opens ${number(`${server}/ops/workers/openDatabase.ts`, 'moreConnections')} more, and one for each chain`,
  ],
  'docs/webhooks.md': [
    `Any 2xx within ${deliveryTimeoutMs / 1_000} seconds`,
    `| after | ${waits.join(' | ')} |`,
    `A mode has up to ${maxEndpoints} endpoints`,
    `got through for ${word(failingDays)} days`,
    `The newest ${limits.webhookAttempts} attempts`,
    `the first ${digits(limits.webhookResponseBytes)} bytes`,
    `at most ${windows.history / day} days ago`,
    `for at most ${limits.longPollSeconds} seconds`,
    `names ${word(number('packages/core/src/alerts/presentAlert.ts', 'maxNames'))} of \`count\``,
  ],
  'CONTRIBUTING.md': [
    `sent ${word(number(`${server}/relayer/cycle/takeSnapshot.ts`, 'resendAfterBlocks'))} blocks ago`,
    `both fees ${read(`${server}/relayer/rpc/fees.ts`).includes('* 9n) / 8n') ? 'an eighth' : '?'} higher`,
  ],
  'docs/payments.md': [
    `a body of ${kib(endpoints.authorizePaymentIntent)}, ${payerRequests.chainMax} requests for one intent in ${payerRequests.seconds} seconds`,
    `require more confirmations, ${limits.confirmations.min} to ${limits.confirmations.max}:`,
    `lists up to ${word(number('packages/core/src/transfers/suggest.ts', 'maxSuggestions'))} intents`,
    `at most ${number('packages/core/src/transfers/suggest.ts', 'feeUnits') / 1_000_000} USDC and a tenth`,
    `at this wallet in ${word(windows.price / day)} days`,
    `until ${windows.late === day ? 'a day' : '?'} after the deadline`,
    `a transfer of ${Number(dustUnits) === 10_000 ? 'a cent' : '?'} or more`,
    `| Base | 2 s | ${chainFacts('mainnet', 'base').confirmationsRequired} |`,
    `| Polygon | 2 s | ${chainFacts('mainnet', 'polygon').confirmationsRequired} |`,
  ],
  'docs/frameworks.md': [
    `takes up to ${number(creation, 'deadline') / 1_000} seconds`,
    `waits ${deliveryTimeoutMs / 1_000} seconds for a response`,
  ],
  'docs/hosted-page.md': [
    `a body of ${kib(endpoints.handOffPaymentIntent)}, and ${payerRequests.max} requests for one intent in ${payerRequests.seconds} seconds`,
    `${limits.logoSide.min} to ${digits(limits.logoSide.max)} pixels a side, at most ${limits.pictureBytes / 1_000} kB`,
    `${number(`${browser}/hosted/returnOf.ts`, 'paidMs') / 1_000} seconds after it says "Paid" and ${number(`${browser}/hosted/returnOf.ts`, 'endedMs') / 1_000} after`,
    `opens the page for ${word(windows.handoff / 60)} minutes`,
    `an https URL of at most ${number('packages/core/src/settings/payerHelp.ts', 'maxCharacters')} characters`,
    `\`expires_in_minutes\`, ${limits.expiresInMinutes.max === 60 ? 'an hour' : '?'} at most`,
  ],
  'docs/payment-links.md': [
    `at most ${limits.linkDescription} characters; payers see it`,
    `At most ${digits(limits.activeLinks)} links are active`,
    `At most ${digits(limits.pictureBytes)} bytes, ${picture.min} to ${digits(picture.max)} pixels a side, no side longer than ${word(limits.linkPictureRatio)} times`,
    `At most ${limits.openAddressPayments} payments of one client address are open at once, and ${digits(limits.openLinkPayments)} of a link`,
    `${limits.linkReservations} of one link at once`,
  ],
  'docs/refunds.md': [
    `A signature is valid for ${windows.refundSignable / 60} minutes`,
    `in one refund or in up to ${word(limits.refunds)}`,
    `smallest refund is ${limits.refundUnits / 1_000_000} USDC`,
  ],
  'docs/look-up.md': [
    `at most ${limits.summaryDays.total} days, ${limits.summaryDays.hourly} in hours`,
    `shows the newest ${word(number('packages/cli/src/find/find.ts', 'limit'))}`,
  ],
  'docs/x402.md': [
    `in a block after ${number(`${server}/http/x402/x402Waiter.ts`, 'patienceSeconds')} seconds`,
  ],
  'docs/dashboard.md': [
    `within the last ${word(number(`${server}/account/accountSession.ts`, 'verifiedForMs') / 60_000)} minutes`,
    `within ${word(number(`${server}/account/signInLink.ts`, 'invitationSeconds') / day)} days`,
    `once, within ${word(number(`${server}/account/signInLink.ts`, 'signInSeconds') / 60)} minutes`,
    `lasts ${word(number(`${server}/account/accountSession.ts`, 'sessionMs') / 3_600_000)} hours`,
  ],
  'docs/deploy.md': [
    `in up to ${number(`${server}/serve.ts`, 'stopPatienceMs') / 1_000} seconds`,
    `held for up to ${limits.longPollSeconds} seconds`,
  ],
  'docs/operate.md': [
    `pauses of up to ${word(number(`${server}/ops/workers/runWorkers.ts`, 'longestPauseMs') / 1_000)} seconds`,
    `${number(`${server}/serve.ts`, 'keyLimit: { max')} wrong API keys a minute`,
    `${payerRequests.max} resolves of one checkout in ${payerRequests.seconds} s`,
    `${number(`${server}/serve.ts`, 'concurrency')} webhooks under way, ${number(`${server}/webhooks/deliverWebhooks.ts`, 'maxPerEndpoint')} of them`,
    `not broadcast within ${number(`${server}/store/authorizations/withdrawAuthorizations.ts`, 'broadcastWithinSeconds')} seconds`,
    `${number(`${server}/store/relaying/reverts.ts`, 'account')} reverted transactions of one account`,
    `${number(`${server}/store/relaying/reverts.ts`, 'codeHash')} of all accounts with one code`,
    `every hour, ${number(`${server}/store/retention.ts`, 'limit')} rows`,
    `${usual.retention.eventDays} days after (\`RETENTION_EVENT_DAYS\`)`,
    `${usual.retention.unpaidDays} days after the end (\`RETENTION_UNPAID_DAYS\`)`,
  ],
  'packages/node/README.md': [
    `The service waits ${deliveryTimeoutMs / 1_000} seconds`,
    `A page has ${limits.pageSize.default} items, or \`limit\`, up to ${limits.pageSize.max}`,
    `collects up to ${digits(number(`${client}/requests/list.ts`, 'maxItems'))} items`,
    `a body over ${number(`${client}/webhook/readBody.ts`, 'bodyLimit') / 1024 ** 2} MiB`,
    `exceeds ${number(`${client}/transport/readText.ts`, 'responseLimit') / 1024 ** 2} MiB`,
    `for the ${windows.idempotency / hour} hours that the service keeps the key`,
    `\`overlap_hours\`, ${number('packages/core/src/webhook-endpoints/webhookEndpoints.ts', 'defaultOverlapHours')} by default`,
    `clocks may differ (${number(`${client}/webhook/verification/verifyWebhook.ts`, 'options.tolerance')})`,
    `up to ${number(`${client}/requests/retry.ts`, 'firstDelay')} ms, then 500 ms, and so on to ${number(`${client}/requests/retry.ts`, 'longestDelay') / 1_000} s`,
    `more than ${number(`${client}/requests/retry.ts`, 'longestRetryAfter') / 1_000} s`,
    `response's body | ${digits(number(usualCall, 'timeout'))} |`,
    `for each page | ${digits(number(usualCall, 'deadline'))} |`,
    `| attempts after the first | ${number(usualCall, 'client.maxRetries')} |`,
    `${number(creation, 'timeout') / 1_000} s for an attempt and ${number(creation, 'deadline') / 1_000} s for the call`,
    `1 to ${limits.idempotencyKeyLength} printable`,
  ],
  'packages/browser/README.md': [
    `within ${word(number(`${browser}/open/openWith.ts`, 'messagesTimeoutMs') / 1_000)} seconds`,
    `// up to ${number(`${browser}/view/content/bought.ts`, 'maxDescription')} characters`,
    `up to ${number(`${browser}/view/content/bought.ts`, 'maxItems')}; names of up to ${number(`${browser}/view/content/bought.ts`, 'maxName')} characters`,
    `${word(number(`${browser}/checkout/notice.ts`, 'triesBeforeError'))} tries in a row`,
    `under ${bundles[0]} until the first opening; under ${bundles[1]} until paid`,
    `another, under ${bundles[3]}.`,
    `the languages: under ${bundles[2]}.`,
  ],
  'packages/testing/README.md': [
    `after ${number('packages/testing/src/devChain/mineIdleBlocks.ts', 'busyBlocks')} blocks without a transaction, ${number('packages/testing/src/devChain/mineIdleBlocks.ts', 'idleSeconds')};`,
    `saved every ${number('packages/testing/src/devChain/stateFile.ts', 'intervalSeconds')} seconds`,
  ],
}

const cases = Object.entries(sentences).flatMap(([document, texts]) =>
  texts.map((text) => [document, text] as const),
)

test.each(cases)('%s: %s', (document, text) => {
  expect(read(document).replaceAll(/\s+/g, ' ')).toContain(text)
})

const ofApi = [
  `most ${payerRequests.max} requests in ${payerRequests.seconds} s for one payment intent`,
  `most ${payerRequests.chainMax} requests in ${payerRequests.seconds} s for one payment intent`,
  `the newest ${word(number(`${server}/store/payment-intents/handoffs.ts`, 'maxTokens'))} links of a payment intent open`,
  `none within ${deliveryTimeoutMs / 1_000} s`,
  `gets the first response, for ${windows.idempotency / hour} h.`,
  `at most ${windows.history / day} days ago.`,
  `from ${windows.history / day} days ago`,
  `At most ${maxEndpoints}, in each mode.`,
  `at most ${limits.metadataBytes / 1024} KiB and ${limits.metadataDepth} levels`,
  `Clamped to ${limits.expiresInMinutes.min}..${limits.expiresInMinutes.max}`,
  `Defaults to ${limits.expiresInMinutes.default}.`,
  `at most ${word(limits.metadataFilters)}.`,
  `valid for ${word(windows.refundClaim / 60)} minutes`,
  `In ${word(windows.handoff / 60)} minutes`,
  `an https URL of at most ${number('packages/core/src/settings/payerHelp.ts', 'maxCharacters')} characters`,
]

test.each(ofApi)('the OpenAPI document: %s', (text) => {
  expect(JSON.stringify(openapi({ baseUrl: 'https://pay.example.com' }))).toContain(text)
})
