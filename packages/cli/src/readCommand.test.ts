import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newFolder } from '../../../tests/support/newFolder.ts'
import { dataUrls, pictures } from '../../../tests/support/pictures/testPictures.ts'
import { apiKey } from '../../node/test/stubServer.ts'
import { eventId } from '../test/cliSupport.ts'
import { readCommand as readWith } from './readCommand.ts'

const env = { PAYMENT_INTENTS_API_KEY: apiKey, PAYMENT_INTENTS_BASE_URL: 'http://localhost:4242' }
const readCommand = (args: string[], environment: Record<string, string>) =>
  readWith(args, environment, () => {})
const usual = {
  ...{ apiKey, baseUrl: 'http://localhost:4242', forwardTo: undefined },
  ...{ types: undefined, since: undefined, format: 'text' },
}

describe('listen', () => {
  test.each<[string[], object]>([
    [[], {}],
    [
      ['--forward-to', 'http://localhost:3000/hooks'],
      { forwardTo: new URL('http://localhost:3000/hooks') },
    ],
    [['-f', 'localhost:3000/hooks'], { forwardTo: new URL('http://localhost:3000/hooks') }],
    [['-f', 'https://[::1]:3000'], { forwardTo: new URL('https://[::1]:3000/') }],
    [
      ['--events', 'payment_intent.succeeded, transfer.unmatched'],
      { types: ['payment_intent.succeeded', 'transfer.unmatched'] },
    ],
    [['--since', eventId(1)], { since: eventId(1) }],
    [['--base-url', 'http://localhost:5000'], { baseUrl: 'http://localhost:5000' }],
    [['--format', 'JSON'], { format: 'json' }],
  ])('%j', (args, options) => {
    expect(readCommand(['listen', ...args], env)).toEqual({
      type: 'listen',
      options: { ...usual, ...options },
    })
  })
})

test.each([
  [[], 'help'],
  [['listen', '--help'], 'help'],
  [['-v'], 'version'],
  [['listen', '--print-secret'], 'print_secret'],
])('%j is %s', (args, type) => {
  expect(readCommand(args, env)).toMatchObject({ type })
})

describe('trigger', () => {
  const args = ['trigger', 'payment_intent.succeeded', '-f', 'localhost:3000/hooks']
  const options = {
    event: expect.objectContaining({ type: 'payment_intent.succeeded', mode: 'testnet' }),
    forwardTo: new URL('http://localhost:3000/hooks'),
    ...{ secret: undefined, apiKey, format: 'text' },
  }

  test.each<[string[], Record<string, string>, object]>([
    [[], {}, {}],
    [[], { PAYMENT_INTENTS_WEBHOOK_SECRET: 'whsec_1' }, { secret: 'whsec_1' }],
    [
      [],
      { PAYMENT_INTENTS_API_KEY: '', PAYMENT_INTENTS_WEBHOOK_SECRET: 'whsec_1' },
      { apiKey: '', secret: 'whsec_1' },
    ],
    [
      ['--override', 'id=pi_1', '--add', 'metadata.a=1=2', '--add', 'metadata.b='],
      {},
      {
        event: expect.objectContaining({
          data: { object: expect.objectContaining({ id: 'pi_1', metadata: { a: '1=2', b: '' } }) },
        }),
      },
    ],
    [['--format', 'json'], {}, { format: 'json' }],
  ])('%j with %o', (more, environment, expected) => {
    expect(readCommand([...args, ...more], { ...env, ...environment })).toEqual({
      type: 'trigger',
      options: { ...options, ...expected },
    })
  })

  test('needs a secret to sign with', () => {
    const message = expect.stringMatching(/^The signing secret is missing\. Set PAYMENT_INTENTS/)
    expect(readCommand(args, {})).toEqual({ type: 'wrong', message })
  })
})

describe('an error is one sentence that repeats no argument:', () => {
  const apiKey = 'sk_test_secret'
  const trigger = ['trigger', 'payment_intent.succeeded']

  test.each<[string[], RegExp]>([
    [['listen', '--api-key', apiKey], /^--api-key is not a flag: .* PAYMENT_INTENTS_API_KEY\.$/],
    [['listen', `--api-key=${apiKey}`], /^--api-key is not a flag/],
    [['listen', `--apikey=${apiKey}`], /^--api-key is not a flag/],
    [['listen', `--api_key=${apiKey}`], /^--api-key is not a flag/],
    [
      ['listen', `--forwardto=${apiKey}`],
      /^Unknown option `--forwardto`\. Did you mean `--forward-to`\?$/,
    ],
    [['listen', '--event', apiKey], /^Unknown option `--event`\. Did you mean `--events`\?$/],
    [['export', '--form', apiKey], /^Unknown option `--form`\. Did you mean `--from`\?$/],
    [
      ['listen', '--quiet'],
      /^Unknown option `--quiet`\. Known are `--forward-to`, .*, `--version`\.$/,
    ],
    [['listen', `--${apiKey}`], /^Unknown option\. Known are /],
    [['listen', '--json'], /^--json is for find, events and link\.$/],
    [['export', '--from', '2026-01-01', '--json'], /^--json is for find, events and link\.$/],
    [['find', apiKey, '--forward-to', 'localhost'], /^--forward-to is for listen and trigger\.$/],
    [[...trigger, '--since', 'evt_1'], /^--since is for listen\.$/],
    [['lisen', apiKey], /^lisen is not a command\. Did you mean listen\? See --help\.$/],
    [['listen', '--forward-to'], /^Option '-f, --forward-to <value>' argument missing\.$/],
    [['listen', '--events', '-x'], /^Option '.*--events.*' argument is ambiguous\.$/],
    [
      ['dream', apiKey],
      /^The commands are listen, trigger, find, export, events and link: see --help\.$/,
    ],
    [
      ['listen', apiKey],
      /^The commands are listen, trigger, find, export, events and link: see --help\.$/,
    ],
    [['listen', '--add', 'a=b'], /^--add is for trigger\.$/],
    [['trigger'], /^trigger needs one type of event, of these: payment_intent\.created, /],
    [['trigger', apiKey], /^trigger needs one type of event/],
    [[...trigger, apiKey], /^trigger needs one type of event/],
    [trigger, /^--forward-to is missing: the address of your webhook handler/],
    [[...trigger, '-f', 'shop.example.com'], /^trigger posts to this machine only/],
    [[...trigger, '-f', `localhost.${apiKey}.com`], /^trigger posts to this machine only/],
    [[...trigger, '-f', 'localhost', '--override', apiKey], /^--override must be a field and its/],
    [[...trigger, '-f', 'localhost', '--add', apiKey], /^--add must be a field and its value/],
    [
      [...trigger, '-f', 'localhost', '--override', `a=${apiKey}`],
      /^--override names a field that/,
    ],
    [['events'], /^events needs a subcommand: list or resend\.$/],
    [['events', apiKey], /^events needs a subcommand: list or resend\.$/],
    [['events', 'list', apiKey], /^events list takes only flags: see --help\.$/],
    [['events', 'list', '--endpoint', apiKey], /^--endpoint is for events resend\.$/],
    [['events', 'list', '--limit', apiKey], /^--limit must be a number from 1 to 999999\.$/],
    [['events', 'list', '--limit', '0'], /^--limit must be a number/],
    [['events', 'list', '--payment', apiKey], /^--payment must be the id of a payment intent/],
    [
      ['events', 'list', '--type', 'payment_intent.success'],
      /^--type \S+ is not a type of event\. Did you mean payment_intent\.succeeded\?$/,
    ],
    [['events', 'resend'], /^events resend needs the id of one event, evt_…\.$/],
    [['events', 'resend', apiKey], /^events resend needs the id of one event, evt_…\.$/],
    [['events', 'resend', 'evt_1', '--json'], /^--json is for events list\.$/],
    [
      ['events', 'resend', 'evt_1', '--endpoint', apiKey],
      /^--endpoint must be the id of a webhook/,
    ],
    [['listen', '-f', 'ftp://localhost'], /^--forward-to must be the address/],
    [['listen', '-f', `http://me:${apiKey}@localhost`], /^--forward-to must hold no user/],
    [['listen', '-e', apiKey], /^--events must be one or more of these.*payment_intent\.succeeded/],
    [['listen', '--since', apiKey], /^--since must be the id of an event/],
    [['listen', '--since', 'evt_123'], /^--since must be the id of an event/],
    [['listen', '--since', eventId(1).toUpperCase()], /^--since must be the id of an event/],
    [['listen', '--format', apiKey], /^--format must be text or json\.$/],
  ])('%j', (args, message) => {
    const command = readCommand(args, env)
    expect(command).toEqual({ type: 'wrong', message: expect.stringMatching(message) })
    expect(JSON.stringify(command)).not.toContain(apiKey)
  })

  test('no key, no address', () => {
    const { PAYMENT_INTENTS_API_KEY: _, ...keyless } = env
    const { PAYMENT_INTENTS_BASE_URL: __, ...homeless } = env
    expect(readCommand(['listen'], keyless)).toMatchObject({
      message: expect.stringMatching(/^The API key is missing\. Set PAYMENT_INTENTS_API_KEY/),
    })
    expect(readCommand(['listen'], homeless)).toMatchObject({
      message: expect.stringMatching(/PAYMENT_INTENTS_BASE_URL or pass --base-url/),
    })
  })
})

describe('link', () => {
  const service = { apiKey, baseUrl: 'http://localhost:4242' }
  const term = ['link', 'create', '--amount', '40.00', '--description', 'Term 2']
  const params = { amount_units: 40_000_000, description: 'Term 2' }

  test.each<[string[], object]>([
    [term, { params }],
    [[...term, '--json'], { params, json: true }],
    [[...term, '--amount', 'open'], { params: { ...params, amount_units: null } }],
    [
      [...term, '--chains', 'base, polygon'],
      { params: { ...params, chains: ['base', 'polygon'] } },
    ],
    [
      [...term, '--max-payments', '1', '--expires-at', '2030-01-31'],
      { params: { ...params, max_payments: 1, expires_at: '2030-01-31T00:00:00.000Z' } },
    ],
    [['link', 'list'], { action: 'list', active: false }],
    [['link', 'list', '--active', '--json'], { action: 'list', active: true, json: true }],
  ])('%j', (args, expected) => {
    const command = { action: 'create', json: false, ...expected }
    expect(readCommand(args, env)).toEqual({ type: 'link', options: { ...service, command } })
  })

  test('reads a picture from its file, unless it is too large', () => {
    const folder = newFolder()
    const file = join(folder, 'Lesson.PNG')
    writeFileSync(file, Buffer.from(pictures.png, 'base64'))
    const command = { params: { ...params, picture: dataUrls.png } }
    expect(readCommand([...term, '--picture', file], env)).toMatchObject({ options: { command } })
    writeFileSync(file, Buffer.alloc(100_001))
    const message = '--picture must have at most 100 kB.'
    expect(readCommand([...term, '--picture', file], env)).toEqual({ type: 'wrong', message })
  })

  test('takes a live key: a link moves no money', () => {
    const live = { ...env, PAYMENT_INTENTS_API_KEY: 'sk_live_0123' }
    expect(readCommand(term, live)).toMatchObject({ type: 'link' })
  })

  test.each<[string[], RegExp]>([
    [['link'], /^link needs a subcommand: create or list\.$/],
    [['link', 'delete'], /^link needs a subcommand/],
    [['link', 'create', 'list'], /^The commands are listen, /],
    [['link', 'create', '--description', 'a'], /^--amount is missing/],
    [['link', 'create', '--amount', '1'], /^--description is missing/],
    [['link', 'create', '--amount', '1', '--description', ''], /^--description is missing/],
    [[...term, '--amount', '0'], /^--amount must be an amount of USDC/],
    [[...term, '--amount', '0.0000001'], /^--amount must be/],
    [[...term, '--amount', 'sk_test_0123'], /^--amount must be/],
    [[...term, '--chains', 'solana'], /^--chains must be one or more of these.*: base,polygon$/],
    [[...term, '--max-payments', '0'], /^--max-payments must be a number/],
    [[...term, '--expires-at', 'soon'], /^--expires-at must be a date/],
    [[...term, '--active'], /^--active is for link list\.$/],
    [[...term, '--picture', 'lesson-0123.svg'], /^--picture must be a file that ends in \.png/],
    [[...term, '--picture', 'https://shop.example/0123'], /^--picture must be a file that ends/],
    [[...term, '--picture', 'none-0123.png'], /^--picture must be a file that can be read/],
    [['link', 'list', '--picture', 'a.png'], /^--picture is for link create\.$/],
    [['link', 'list', '--amount', '1'], /^--amount is for link create\.$/],
    [['find', '1', '--amount', '1'], /^--amount is for link\.$/],
  ])('%j is refused', (args, message) => {
    const command = readCommand(args, env)
    expect(command).toEqual({ type: 'wrong', message: expect.stringMatching(message) })
    expect(JSON.stringify(command)).not.toContain('0123')
  })
})

describe('find and export', () => {
  const service = { apiKey, baseUrl: 'http://localhost:4242' }

  test.each<[string[], object]>([
    [['find', ' 1042 '], { text: '1042', key: 'order_id', format: 'text' }],
    [['find', '0x1', '--json'], { text: '0x1', key: 'order_id', format: 'json' }],
    [['find', '7', '--key', 'cart'], { text: '7', key: 'cart', format: 'text' }],
    [
      ['export', '--from', '2026-01-31', '--to', '2026-02-28T12:00:00+02:00'],
      { what: 'payment_intents', from: '2026-01-31T00:00:00.000Z', to: '2026-02-28T10:00:00.000Z' },
    ],
    [
      ['export', '--transfers', '--from', '2026-01-31T00:00:00Z', '--to', '2026-02-01'],
      { what: 'transfers', from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    ],
    [
      ['export', '--refunds', '--from', '2026-01-31', '--to', '2026-02-01'],
      { what: 'refunds', from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    ],
  ])('%j', (args, options) => {
    const command = readCommand(args, env)
    expect(command).toEqual({ type: args[0], options: { ...service, ...options } })
  })

  test('end now by default', () => {
    const before = new Date().toISOString()
    const command = readCommand(['export', '--from', '2020-01-01'], env)
    if (command.type !== 'export') throw new Error(command.type)
    expect(command.options.to >= before).toBe(true)
  })

  test('take a live key: they only read', () => {
    const live = { ...env, PAYMENT_INTENTS_API_KEY: 'sk_live_0123' }
    expect(readCommand(['find', '1'], live)).toMatchObject({ type: 'find' })
  })

  test.each<[string[], RegExp]>([
    [['find'], /^The search text is missing: the id of a payment intent, /],
    [['find', ' '], /^The search text is missing/],
    [['find', 'sk_live_0123'], /^The search text is a key or a secret/],
    [['find', 'whsec_0123'], /^The search text is a key or a secret/],
    [
      ['find', 'a', '0123'],
      /^The commands are listen, trigger, find, export, events and link: see --help\.$/,
    ],
    [['export'], /^--from is missing/],
    [['export', '--from', '2026-01-01', '--refunds', '--transfers'], /^Pass --transfers or /],
    [['export', '--from', '0123'], /^--from must be a date or a time with its offset, like /],
    [['export', '--from', '2026-02-30'], /^--from must be a date/],
    [['export', '--from', '2026-01-01', '--to', '2026-01-01T12:00'], /^--to must be a date/],
    [['export', '--from', '2026-01-01', '--to', '2026-01-01'], /^--from must be before --to\.$/],
  ])('%j is refused', (args, message) => {
    const command = readCommand(args, env)
    expect(command).toEqual({ type: 'wrong', message: expect.stringMatching(message) })
    expect(JSON.stringify(command)).not.toContain('0123')
  })
})

test('a key that is not of test mode needs --live', () => {
  const live = { ...env, PAYMENT_INTENTS_API_KEY: 'sk_live_0123' }
  const refused = readCommand(['listen'], live)
  expect(refused).toMatchObject({ type: 'wrong', message: expect.stringContaining('--live') })
  expect(JSON.stringify(refused)).not.toContain('sk_live_0123')
  expect(readCommand(['listen', '--live'], live)).toMatchObject({ type: 'listen' })
})

test('--env is read before the variables are', () => {
  const environment: Record<string, string> = {}
  const loaded: string[] = []
  const load = (path: string) => {
    loaded.push(path)
    Object.assign(environment, env)
  }
  expect(readWith(['listen', '--env', '.env'], environment, load)).toEqual({
    type: 'listen',
    options: usual,
  })
  expect(loaded).toEqual(['.env'])
})
