import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const env = { RPC_URL_BASE_TESTNET: 'http://127.0.0.1:8545' }

test.each([
  [undefined, false],
  ['false', false],
  ['0', false],
  ['true', 1],
  ['1', 1],
  ['2', 2],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
])('TRUST_PROXY %s', (text, trusted) => {
  expect(readConfig({ ...env, TRUST_PROXY: text }).trustProxy).toEqual(trusted)
})

test.each([
  [{}, 5_000],
  [{ DEVELOPMENT_CHAIN: 'true' }, 0],
  [{ SHUTDOWN_DELAY_SECONDS: '0' }, 0],
  [{ DEVELOPMENT_CHAIN: 'true', SHUTDOWN_DELAY_SECONDS: '300' }, 300_000],
])('with %o the server continues to serve so long after SIGTERM', (set, expected) => {
  expect(readConfig({ ...env, ...set }).shutdownDelayMs).toBe(expected)
})

test.each(['-1', '1.5', '5s', '301'])('SHUTDOWN_DELAY_SECONDS %s is refused', (text) => {
  expect(faults({ ...env, SHUTDOWN_DELAY_SECONDS: text })).toEqual([
    `SHUTDOWN_DELAY_SECONDS: must be a whole number from 0 to 300, such as 5; found "${text}"`,
  ])
})

test.each(['yes', '-1', 'loopback', '10.0.0.0/99', '127.1', '10/8', ','])(
  'TRUST_PROXY %s is refused',
  (text) => {
    expect(() => readConfig({ ...env, TRUST_PROXY: text })).toThrow(
      /^TRUST_PROXY: must be the number of proxies/,
    )
  },
)

const mainnet = {
  ...{ RPC_URL_BASE_MAINNET: 'https://base.example', PUBLIC_URL: 'https://pay.example' },
}

test('development settings are refused beside a mainnet', () => {
  const switches = { DEVELOPMENT_CHAIN: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' }
  expect(readConfig({ ...env, ...switches, PUBLIC_URL: 'http://pay.test' })).toMatchObject({
    ...{ webhookAllowPrivate: true, publicUrl: 'http://pay.test' },
    chains: [{ development: true }],
  })
  expect(readConfig(mainnet).chains).toHaveLength(1)
  expect(faults({ ...env, ...mainnet, DEVELOPMENT_CHAIN: 'true' })).toEqual([
    expect.stringMatching(/^DEVELOPMENT_CHAIN: .* or unset RPC_URL_BASE_MAINNET$/),
  ])
  expect(faults({ ...mainnet, WEBHOOK_ALLOW_PRIVATE: 'true' })).toEqual([
    expect.stringMatching(
      /^WEBHOOK_ALLOW_PRIVATE: .* RPC_URL_BASE_MAINNET\. .*WEBHOOK_ALLOW_HOSTS/,
    ),
  ])
  const must =
    'PUBLIC_URL: must be https beside RPC_URL_BASE_MAINNET, such as https://pay.example.com'
  expect(faults({ ...mainnet, PUBLIC_URL: 'http://pay.example/' })).toEqual([
    `${must}; found http://pay.example`,
  ])
  expect(faults({ ...mainnet, PUBLIC_URL: undefined })).toEqual([`${must}; it is not set`])
})

describe('an RPC without encryption, beside a mainnet', () => {
  const plain = (url: string) => faults({ ...mainnet, RPC_URL_POLYGON_MAINNET: url })

  test.each([
    ['http://rpc.example.com/v2/KEY', 'http://rpc.example.com'],
    ['ws://user:KEY@rpc.example.com:8546/?token=KEY', 'ws://rpc.example.com:8546'],
    ['HTTP://RPC.example.com', 'http://rpc.example.com'],
    ['https://rpc.example.com/KEY, http://8.8.8.8/KEY', 'http://8.8.8.8'],
    ['http://[2001:4860:4860::8888]:8545/KEY', 'http://[2001:4860:4860::8888]:8545'],
    ['http://localhost.example.com', 'http://localhost.example.com'],
    ['http://10.0.0.5.example.com', 'http://10.0.0.5.example.com'],
    ['http://100.64.0.1:8545', 'http://100.64.0.1:8545'],
    ['http://one.example/KEY,ws://two.example/KEY', 'http://one.example and ws://two.example'],
  ])('is refused at a host of another network: %s', (url, result) => {
    expect(plain(url)).toEqual([
      `RPC_URL_POLYGON_MAINNET: must be https:// or wss:// for a host outside this server’s own network, such as https://rpc.example.com/key; found ${result}`,
    ])
  })

  test('is refused for a testnet, too, whose URL may have the same key', () => {
    const testnet = { RPC_URL_BASE_TESTNET: 'http://rpc.example.com' }
    expect(faults({ ...mainnet, ...testnet })).toEqual([
      expect.stringMatching(/^RPC_URL_BASE_TESTNET: must be https:/),
    ])
    expect(faults(testnet)).toEqual([])
  })

  test.each([
    'http://localhost:8545',
    'ws://127.0.0.1:8546',
    'http://2130706433:8545',
    'http://[::1]:8545',
    'http://10.1.2.3:8545',
    'http://172.16.0.9:8545',
    'ws://192.168.1.7:8546',
    'http://169.254.7.7:8545',
    'http://[fd00::7]:8545',
    'http://[::ffff:10.1.2.3]:8545',
    'http://erigon:8545',
    'http://erigon.:8545',
    'http://node.internal:8545',
    'http://node.local:8545',
    'https://rpc.example.com/key',
    'wss://rpc.example.com/key',
  ])('is accepted in the operator’s own network, and with encryption anywhere: %s', (url) => {
    expect(plain(url)).toEqual([])
  })
})

test.each([
  ['http://localhost:8546', true],
  ['http://127.0.0.1:8546,ws://[::1]:8546', true],
  ['http://10.1.2.3:8546', true],
  ['http://anvil:8546', true],
  ['http://host.docker.internal:8546', true],
  ['https://rpc-amoy.example/key', false],
  ['http://127.0.0.1:8546,https://rpc-amoy.example/key', false],
  ['https://8.8.8.8', false],
  ['https://localhost.example.com', false],
])('a testnet is a development chain by its RPC: %s', (urls, development) => {
  const RPC_URL_POLYGON_TESTNET = urls
  const { chains, warnings } = readConfig({ RPC_URL_POLYGON_TESTNET, DEVELOPMENT_CHAIN: 'true' })
  const explorerUrl = development ? null : 'https://amoy.polygonscan.com'
  expect(chains).toMatchObject([{ development, network: { explorerUrl } }])
  // A provider's URL has its key.
  if (!development) expect(chains[0]?.network.rpcUrl).not.toContain('rpc-amoy.example')
  expect(warnings.length).toBe(development ? 0 : 1)
  const without = readConfig({ RPC_URL_POLYGON_TESTNET })
  expect(without.chains).toMatchObject([{ development: false }])
})

test('webhooks to a host of one’s own network are allowed beside a mainnet', () => {
  const WEBHOOK_ALLOW_HOSTS = 'shop.internal:8080, 10.0.5.0/24'
  expect(readConfig({ ...mainnet, WEBHOOK_ALLOW_HOSTS }).webhookAllowed).toMatchObject([
    { host: { type: 'name', name: 'shop.internal' }, ports: [8080] },
    { host: { type: 'network' }, ports: [80, 443] },
  ])
})

const secret = 'k3yThatNobodyMayRead'

test.each([
  ['PORT', 'x', 'must be a whole number from 0 to 65535, such as 4242; found "x"'],
  ['PORT', '70000', 'from 0 to 65535, such as 4242; found "70000"'],
  ['PORT', '4.5', 'found "4.5"'],
  ['DATABASE_POOL_SIZE', '1', 'must be a whole number from 2 to 200, such as 10; found "1"'],
  ['DATABASE_WAIT_SECONDS', '-1', 'found "-1"'],
  ['RESOLVES_PER_ADDRESS', '0', 'must be a whole number of 1 or more, such as 1000; found "0"'],
  ['CONFIRMATIONS_BASE_MAINNET', 'many', 'from 1 to 200, such as 5; found "many"'],
  ['POLL_INTERVAL_MS', '1e4', 'such as 2000; found "1e4"'],
  ['RETENTION_EVENT_DAYS', '29', 'days, 30 or more, such as 30; or 0 to keep all; found "29"'],
  ['RETENTION_UNPAID_DAYS', '-1', 'days, 30 or more, such as 90; or 0 to keep all; found "-1"'],
  ['DEVELOPMENT_CHAIN', 'ja', 'must be true or false; found "ja"'],
  ['LOG_LEVEL', 'trace', 'must be one of fatal, error, warn, info, debug, silent; found "trace"'],
  ['PUBLIC_URL', 'pay.example.com', 'such as https://pay.example.com; found "pay.example.com"'],
  ['PUBLIC_URL', 'wss://pay.example.com', 'found "wss://pay.example.com"'],
  ['DATABASE_URL', `mysql://u:${secret}@h/d`, 'found 34 characters that begin with mysql://'],
  ['DATABASE_URL', `postgres://u:${secret}#2@h/d`, 'percent-encoded (# is %23'],
  [
    'DATABASE_URL',
    `"postgres://u:${secret}@h/d"`,
    'found 39 characters; remove the quotation marks',
  ],
  [
    'RPC_URL_BASE_TESTNET',
    `rpc.example/${secret}`,
    'https://rpc.example.com/key; found 32 characters',
  ],
  ['RPC_URL_BASE_TESTNET', `https://rpc.example/${secret}, x`, 'that begin with https://'],
  [
    'SERVER_SECRET',
    'changeme'.repeat(8),
    'must be at least 32 random characters; make one with: openssl rand -hex 32; found 64 characters, which are not random',
  ],
  ['SERVER_SECRET', 'a'.repeat(32), 'found 32 characters, which are not random'],
  ['SERVER_SECRET', secret, 'openssl rand -hex 32; found 20 characters'],
  ['RELAYER_KEY_BASE_TESTNET', secret, '64 random hexadecimal digits'],
  ['RELAYER_KEY_BASE_TESTNET', `0x${'0'.repeat(63)}1`, 'openssl rand -hex 32; found 66 characters'],
  ['RELAYER_KEY_BASE_TESTNET', 'f'.repeat(64), 'openssl rand -hex 32; found 64 characters'],
  ['RELAYER_MAX_FEE_GWEI_BASE_TESTNET', '5gwei', 'a number of gwei above 0, such as 5; found'],
  ['RELAYER_DAILY_SPEND_POLYGON_TESTNET', '0', 'a number of POL above 0, such as 100; found "0"'],
  ['RELAYER_MERCHANT_DAILY_SPEND_BASE_TESTNET', '-1', 'a number of ETH above 0'],
  ['SMTP_URL', `http://u:${secret}@h`, 'such as smtps://user:password@smtp.example.com:465'],
  ['SMTP_URL', `smtps://u:${secret}@h?pool=true`, 'found 42 characters that begin with smtps://'],
  ['SMTP_URL', `smtps://:${secret}@h`, 'percent-encoded (# is %23'],
  ['SMTP_URL', `smtps://u:${secret}%zz@h`, 'percent-encoded (# is %23'],
  ['MAIL_FROM', 'Shop', 'such as Payments <payments@example.com>; found "Shop"'],
  ['MAIL_FROM', 'a@example.com\nBcc: b@example.com', 'or a name and an address'],
  ['MAIL_FROM', 'A\nB <a@example.com>', 'or a name and an address'],
  ['DASHBOARD_URL', 'dashboard.example.com', 'such as http://localhost:4243; found'],
  [
    'WEBHOOK_ALLOW_HOSTS',
    'http://shop',
    'such as shop.internal:8080,10.0.5.0/24; found "http://shop"',
  ],
])(
  '%s: a fault says what it must be, what was found and an example: %s',
  (name, value, expected) => {
    const SERVER_SECRET = 'f3a1c85d09be72461e8ddc0b94a7365f'
    const MAIL_FROM = 'payments@example.com'
    const SMTP_URL = 'smtp://smtp.example.com'
    const lines = faults({ ...env, SERVER_SECRET, MAIL_FROM, SMTP_URL, [name]: value })
    expect(lines).toEqual([expect.stringContaining(expected)])
    expect(lines[0]).toMatch(new RegExp(`^${name}: must be `))
    expect(lines[0]).not.toContain(secret)
  },
)

test('mail is sent by the server of SMTP_URL', () => {
  const from = { name: 'Payments', address: 'payments@example.com' }
  const MAIL_FROM = 'Payments <payments@example.com>'
  const mailOf = (SMTP_URL: string) => readConfig({ ...env, SMTP_URL, MAIL_FROM }).mail
  expect(mailOf('smtps://us%40er:p%2F%23:x@smtp.example.com')).toEqual({
    ...{ host: 'smtp.example.com', port: 465, secure: true, isLocal: false, from },
    login: { user: 'us@er', password: 'p/#:x' },
  })
  expect(mailOf('smtp://localhost:2525/')).toEqual({
    ...{ host: 'localhost', port: 2525, secure: false, isLocal: true, login: null, from },
  })
  expect(mailOf('smtp://[::1]')).toMatchObject({ host: '::1', port: 587, isLocal: true })
  expect(readConfig(env).mail).toBe(null)
})

test('SMTP_URL and MAIL_FROM go together', () => {
  const SMTP_URL = 'smtp://smtp.example.com'
  expect(faults({ ...env, SMTP_URL })).toEqual([expect.stringMatching(/^MAIL_FROM: must be set/)])
  const { mail, warnings } = readConfig({ ...env, MAIL_FROM: 'payments@example.com' })
  expect(mail).toBe(null)
  expect(warnings).toEqual(['MAIL_FROM: is not used without SMTP_URL: no mail is sent'])
})

test('a misspelt variable is refused or warned of, with the closest correct name', () => {
  expect(faults({ ...env, RPC_URL_BASE_MAINET: secret, LOGLEVEL: 'info' })).toEqual([
    'RPC_URL_BASE_MAINET: is not a variable of this server; did you mean RPC_URL_BASE_MAINNET? Correct its name, or unset it',
    'LOGLEVEL: is not a variable of this server and is ignored; did you mean LOG_LEVEL?',
  ])
  expect(readConfig({ ...env, LOGLEVEL: 'info' }).warnings).toEqual([
    expect.stringMatching(/^LOGLEVEL: /),
  ])
})

test('a relayer has a key of its chain, and spends up to its limits', () => {
  const key = '9c5f0d3ab1e27f4486d1c0b35e7a928f06c41d7ae8b2395f17d46ac0e93b582d'
  const RELAYER_KEY_BASE_TESTNET = key.toUpperCase()
  const [chain] = readConfig({ ...env, RELAYER_KEY_BASE_TESTNET }).chains
  expect(chain?.relayer).toEqual({
    ...{ key: `0x${key}`, maxFeePerGas: 5_000_000_000n },
    ...{ dailySpend: 5n * 10n ** 16n, merchantDailySpend: 10n ** 16n },
  })
  const more = {
    RELAYER_MAX_FEE_GWEI_BASE_TESTNET: '0.25',
    RELAYER_MERCHANT_DAILY_SPEND_BASE_TESTNET: '0.02',
  }
  const [limited] = readConfig({ ...env, RELAYER_KEY_BASE_TESTNET, ...more }).chains
  expect(limited?.relayer).toMatchObject({
    ...{ maxFeePerGas: 250_000_000n, merchantDailySpend: 2n * 10n ** 16n },
  })
  const daily = { RELAYER_DAILY_SPEND_BASE_TESTNET: '2' }
  const [generous] = readConfig({ ...env, RELAYER_KEY_BASE_TESTNET, ...daily }).chains
  expect(generous?.relayer).toMatchObject({ merchantDailySpend: 4n * 10n ** 17n })
  expect(readConfig(env).chains[0]?.relayer).toBeNull()
  expect(faults({ ...env, RELAYER_KEY_BASE_MAINNET: key })).toEqual([
    'RELAYER_KEY_BASE_MAINNET: needs RPC_URL_BASE_MAINNET, which is not set',
  ])
  expect(faults({ ...env, RELAYER_KEY_BASE_TESNET: key })).toEqual([
    expect.stringMatching(/^RELAYER_KEY_BASE_TESNET: .* did you mean RELAYER_KEY_BASE_TESTNET\?/),
  ])
})

test('every variable of the README is known, and the README has every variable', async () => {
  const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
  const table = /\| variable .*?\n\n/s.exec(readme)?.[0] ?? ''
  const [, ...rows] = table.split('\n')
  const listed = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]{4,}/g) ?? [])
  const requested: string[] = []
  const get = (_: object, name: string) => {
    requested.push(name)
    return (env as Record<string, string | undefined>)[name]
  }
  readConfig(new Proxy<Record<string, string | undefined>>(env, { get }))
  const variables = [...new Set(requested)].filter((name) => /^[A-Z_]+$/.test(name))
  const isStandard = (name: string) => name.startsWith('OTEL_')
  const serverVariables = (names: string[]) => names.filter((name) => !isStandard(name)).sort()
  expect(serverVariables(listed)).toEqual(serverVariables(variables))
  const observing = await readFile(new URL('../../../docs/observing.md', import.meta.url), 'utf8')
  for (const name of [...listed, ...variables].filter(isStandard)) {
    expect(observing).toContain(name.replace('_TRACES_PROTOCOL', '_TRACES_'))
  }
})

function faults(input: Record<string, string | undefined>): string[] {
  try {
    readConfig(input)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
  return []
}

test.each([
  [{ DASHBOARD_URL: 'https://desk.example/' }, { url: 'https://desk.example', port: 4243 }],
  [{ DASHBOARD_URL: 'http://localhost:5000' }, { url: 'http://localhost:5000', port: 4243 }],
  [
    { DASHBOARD_URL: 'https://desk.example', DASHBOARD_PORT: '8080' },
    { url: 'https://desk.example', port: 8080 },
  ],
  [{}, null],
])('the dashboard of %j', (variables, expected) => {
  expect(readConfig({ ...env, ...variables }).dashboard).toEqual(expected)
})

test.each([
  [
    { DASHBOARD_URL: 'http://desk.example' },
    'DASHBOARD_URL: must be an https:// URL without a path',
  ],
  [{ DASHBOARD_URL: 'https://desk.example/x' }, 'DASHBOARD_URL: must be an https:// URL without'],
  [
    { DASHBOARD_URL: 'http://localhost:4242' },
    'DASHBOARD_URL: must be another origin than PUBLIC_URL',
  ],
  [
    { DASHBOARD_URL: 'https://desk.example', DASHBOARD_PORT: '4242' },
    'DASHBOARD_PORT: must be another port than PORT',
  ],
  [
    { DASHBOARD_URL: 'https://desk.example', PUBLIC_URL: 'pay.example.com' },
    'PUBLIC_URL: must be the URL',
  ],
  [{ DASHBOARD_PORT: '4243' }, 'DASHBOARD_PORT: needs DASHBOARD_URL, which is not set'],
])('%j is refused', (variables, fault) => {
  expect(faults({ ...env, ...variables })).toEqual([expect.stringContaining(fault)])
})
