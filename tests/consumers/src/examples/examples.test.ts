import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { compile } from '../support/compile.ts'
import { type Example, examplesOf, filledIn, isForPage, isTest } from '../support/examples.ts'
import { run } from '../support/run.ts'
import { createIntent } from '../support/serviceRequests.ts'

/** The arguments and result of each function of an example; `returnsSecond`: of a second call. */
type Call = {
  readonly callArgs: readonly unknown[]
  readonly returns: unknown
  readonly returnsSecond?: unknown
}

const folder = join(inject('projects'), 'examples')
const service = inject('service')
const env = {
  PAYMENT_INTENTS_API_KEY: service.apiKey,
  PAYMENT_INTENTS_BASE_URL: service.url,
  PAYMENT_INTENTS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
  DATABASE_URL: inject('shopDatabase'),
  PORT: '0',
}
const typescript = ['ts', 'tsx']
const pages = [
  ...['README.md', 'packages/*/README.md'],
  ...['docs/quickstart.md', 'docs/fulfil.md', 'docs/thank-you.md', 'docs/orders.md'],
  ...['docs/refunds.md', 'docs/webhooks.md', 'docs/look-up.md', 'docs/receipts.md', 'docs/x402.md'],
  ...['docs/payment-links.md', 'docs/hosted-page.md', 'docs/frameworks.md', 'docs/euro.md'],
]
const all = examplesOf(...pages, 'packages/*/src/**/*.{ts,tsx}')
const onServer = examplesOf(...pages, 'packages/testing/src/**/*.ts').filter(
  (example) => example.language === 'ts' && !isForPage(example) && !isTest(example),
)

const euroQuote = {
  amount_units: 21_680_000,
  fiat: { currency: 'EUR', amount: '19.99', rate: '1.08427' },
}

const calls: Record<string, Record<string, Call>> = {
  'README.md': {
    checkout: {
      callArgs: [{ id: 'readme-1042', attempt: 1, total: '25.00' }],
      returns: { client_secret: expect.stringContaining('_secret_') },
    },
  },
  'packages/node/README.md': {
    checkout: {
      callArgs: [{ id: '1042', attempt: 1 }],
      returns: { client_secret: expect.stringContaining('_secret_') },
    },
    paidOrder: { callArgs: [], returns: expect.stringMatching(/^pi_/) },
  },
  'docs/receipts.md': {
    isProven: { callArgs: [{}], returns: false },
  },
  'docs/quickstart.md': {
    // Two routes: the page's, and the webhooks'.
    POST: { callArgs: ['<a delivery>'], returns: 200 },
  },
  'docs/frameworks.md': {
    pay: { callArgs: [{ id: 'any-1042', attempt: 1, total: '25.00' }], returns: 200 },
    receive: { callArgs: ['<a delivery>'], returns: 200 },
  },
  'docs/hosted-page.md': {
    pageFor: {
      callArgs: [{ id: 'ord_1042', total: '25.00' }],
      returns: expect.stringMatching(
        /\/checkout\/\?return_url=http%3A%2F%2F[^/&#]+%2Forders%2Ford_1042#pi_\w+_secret_\w+$/,
      ),
    },
    setBrand: {
      callArgs: ['#0f766e', '<a logo>'],
      returns: expect.stringMatching(/\/v1\/logos\/[\w-]{43}$/),
    },
  },
  'docs/euro.md': {
    quote: {
      callArgs: [1_999, '<a rate of now>'],
      returns: euroQuote,
    },
    startPayment: {
      callArgs: [{ id: 'euro-1042', attempt: 1, quote: euroQuote }],
      returns: {
        payment_intent_id: expect.stringMatching(/^pi_/),
        client_secret: expect.stringContaining('_secret_'),
      },
    },
    refundUnits: { callArgs: [21_680_000, 1_999, 1_170], returns: 12_689_144 },
  },
  'docs/fulfil.md': {
    handle: { callArgs: ['<a success>'], returns: 'handled', returnsSecond: 'seen before' },
  },
  'docs/thank-you.md': {
    stateOf: {
      callArgs: ['<an unpaid order>'],
      returns: 'open',
    },
  },
  'docs/refunds.md': {
    refundReturn: { callArgs: ['return 1042'], returns: 'amount_exceeds_refundable' },
    signRefund: { callArgs: [{ type: 'refund.created' }], returns: 'nothing to sign' },
    ethersSigner: {
      callArgs: [{ address: `0x${'1'.repeat(40)}` }],
      returns: { address: `0x${'1'.repeat(40)}` },
    },
    kmsSigner: {
      callArgs: [`0x${'1'.repeat(40)}`],
      returns: { address: `0x${'1'.repeat(40)}` },
    },
    requestAddress: {
      callArgs: ['<a paid intent>'],
      returns: expect.stringMatching(/\/refund\/#re_\w+_link_\w{43}$/),
    },
    confirmClaim: {
      callArgs: ['<a refund to an exchange>', `0x${'1'.repeat(40)}`],
      returns: 'requires_signature',
    },
    paidBySafe: { callArgs: ['re_1', `0x${'ab'.repeat(32)}`], returns: 'not_found' },
  },
  'docs/orders.md': {
    startPayment: {
      callArgs: [{ id: 'ord_1042', total: '25.00', attempt: 1, payment_intent_id: null }],
      returns: {
        attempt: 1,
        payment_intent_id: expect.stringMatching(/^pi_/),
        client_secret: expect.stringContaining('_secret_'),
      },
    },
  },
  'docs/payment-links.md': {
    linkFor: {
      callArgs: [{ id: 'R-7', total: '40.00' }],
      returns: expect.stringMatching(/\/l\/plink_[0-9a-z]{30}$/),
    },
  },
  'docs/look-up.md': {
    writeTransfers: {
      callArgs: ['<a path>', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
      returns: null,
    },
  },
  'docs/webhooks.md': {
    recover: {
      callArgs: ['<an endpoint>', new Date().toISOString()],
      returns: expect.any(Number),
    },
    resend: { callArgs: ['<an event>', '<an endpoint>'], returns: 1 },
    catchUp: {
      callArgs: ['<a handler that takes each event once>'],
      ...{ returns: expect.any(Number), returnsSecond: expect.any(Number) },
    },
  },
}

beforeAll(async () => {
  await rm(join(folder, 'written'), { recursive: true, force: true })
  await mkdir(join(folder, 'written'))
  const tables = all.filter(({ language }) => language === 'sql').map(({ code }) => code)
  await run(process.execPath, ['createTables.js', ...tables], { cwd: folder, env })
})

function write({ name, language }: Example, code: string) {
  return writeFile(join(folder, 'written', `${name}.${language}`), code)
}

test('every example of a README or a comment type-checks', async () => {
  const examples = all.filter(({ language }) => typescript.includes(language))
  const files = new Set(examples.map(({ file }) => file))
  for (const name of ['node', 'browser', 'react', 'contract', 'testing']) {
    expect(files).toContain(`packages/${name}/README.md`)
  }
  expect(files).toContain('docs/webhooks.md')
  await Promise.all(examples.map((example) => write(example, example.code)))
  await compile(folder, '-p', '.')
})

type Outcome = { readonly printed: string; readonly error?: string; readonly results: Results }
type Results = Readonly<Record<string, readonly unknown[]>>

/** Runs examples in one process. */
async function runAll(examples: readonly Example[]): Promise<Record<string, Outcome>> {
  const listed = await Promise.all(
    examples.map(async (example) => {
      await write(example, filledIn(example, await createIntent()))
      const uses = Object.entries(calls[example.file] ?? {}).map(([name, call]) => {
        const times = call.returnsSecond === undefined ? 1 : 2
        return [name, { callArgs: call.callArgs, times }]
      })
      const { name } = example
      return { name, file: `./written/${name}.ts`, calls: Object.fromEntries(uses) }
    }),
  )
  const args = ['run.js', JSON.stringify(listed)]
  const { stdout } = await run(process.execPath, args, { cwd: folder, env })
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}

/** Those of the test kit change what all of a process does, such as its `fetch`: each has a process of its own. */
const isAlone = ({ file }: Example) => file.startsWith('packages/testing/')
let together: Promise<Record<string, Outcome>> | undefined

test.each(onServer)('$name runs', async (example) => {
  together ??= runAll(onServer.filter((candidate) => !isAlone(candidate)))
  const outcomes = await (isAlone(example) ? runAll([example]) : together)
  const { printed, error, results } = outcomes[example.name] as Outcome
  expect(error).toBeUndefined()
  // The comment after `console.log(…)`, or on the line below it.
  const comments = /^console\.log\(.*\)(?:\n| )\/\/ (.+)$/gm
  for (const [, said = ''] of example.code.matchAll(comments)) {
    expect(printed).toContain(said)
  }
  for (const [name, returned] of Object.entries(results)) {
    const { returns, returnsSecond } = calls[example.file]?.[name] ?? {}
    expect(returned).toEqual(returnsSecond === undefined ? [returns] : [returns, returnsSecond])
  }
})

test('the request of the quickstart is what the service takes', async () => {
  const [request] = examplesOf('docs/quickstart.md').filter(({ language }) => language === 'sh')
  if (!request) throw new Error('The quickstart shows no request.')
  const { stdout } = await run('sh', ['-c', filledIn(request, await createIntent())], { env })
  expect(JSON.parse(stdout)).toMatchObject({
    amount_units: 25_000_000,
    client_secret: expect.stringContaining('_secret_'),
  })
})
