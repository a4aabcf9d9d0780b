import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { newFolder } from '../../../tests/support/newFolder.ts'
import { drawLogo } from '../../../tests/support/pictures/drawLogo.ts'
import { runHere as run } from '../test/support/server/runHere.ts'
import { runCommand, separateDatabase } from '../test/support/server/serverProcess.ts'
import { randomWallet } from '../test/support/server/testServer.ts'

type Env = Readonly<Record<string, string>>

async function command(database: Env, ...args: string[]): Promise<string> {
  const { code, output } = await run(args, database)
  expect(code, output).toBe(0)
  return output
}

test('a process prints results on stdout and notes on stderr, and exits with the code', async () => {
  const database = await separateDatabase('template1')
  const created = await runCommand(['merchant', 'create', '--name', 'A shop'], database)
  expect(created).toMatchObject({ code: 0, printed: expect.stringMatching(/^mer_\w+$/), notes: '' })
  const address = randomWallet()
  await command(database, 'wallet', 'allow', created.printed, '--address', address)
  const disallow = ['wallet', 'disallow', created.printed, '--address', address]
  const last = 'The list is empty now: requests may name any address.'
  expect(await runCommand(disallow, database)).toMatchObject({
    ...{ code: 0, printed: address, notes: last },
  })
  const refused = await runCommand(disallow, database)
  expect(refused).toMatchObject({ code: 1, printed: '' })
  expect(refused.notes).toMatch(/^0x\w+ is not allowed to mer_\w+; "wallet list mer_/)
})

test('lists, allows and disallows wallets, and renames a merchant', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shpo')
  await command(database, 'merchant', 'rename', merchant, '--name', 'A shop')
  expect(await command(database, 'merchant', 'list')).toBe(`${merchant}\tA shop\tbase\topen`)

  const [wallet, otherWallet] = [randomWallet(), randomWallet()]
  const where = ['--mode', 'testnet', '--chain', 'polygon', '--address', wallet]
  await command(database, 'wallet', 'set', merchant, ...where)
  await command(database, 'wallet', 'allow', merchant, '--address', otherWallet)
  expect(await command(database, 'wallet', 'list', merchant)).toBe(
    `testnet\tpolygon\t${wallet}\tmatch-plain-price off\nallowed\tany\t${otherWallet}`,
  )
  const disallow = ['wallet', 'disallow', merchant, '--address', otherWallet]
  const { code, output, notes } = await run(disallow, database)
  expect([code, output]).toEqual([0, otherWallet])
  expect(notes).toBe('The list is empty now: requests may name any address.')
  expect(await run(disallow, database)).toMatchObject({
    ...{
      code: 1,
      notes: expect.stringMatching(/^0x\w+ is not allowed to mer_\w+; "wallet list mer_/),
    },
  })
})

test('proven wallets are listed, and outrank the operator’s lists for others', async () => {
  const database = await separateDatabase()
  const owner = await command(database, 'merchant', 'create', '--name', 'A shop')
  const other = await command(database, 'merchant', 'create', '--name', 'Another shop')
  const [wallet, contract] = [randomWallet(), randomWallet()]
  const client = new pg.Client(database.DATABASE_URL)
  await client.connect()
  await client.query(
    `insert into wallet_proofs (merchant_id, address, chain_id, nonce_hash, proved_at)
     values ($1, $2, null, 'a', now()), ($1, $3, 137, 'b', now())`,
    [owner, wallet, contract],
  )
  await client.end()
  const listed = (await command(database, 'wallet', 'list', owner)).split('\n').sort()
  expect(listed).toEqual([`proven\tany\t${wallet}`, `proven\tpolygon mainnet\t${contract}`].sort())
  const allow = (merchant: string) =>
    run(['wallet', 'allow', merchant, '--address', wallet], database)
  expect(await allow(owner)).toMatchObject({ code: 0, output: wallet, notes: '' })
  const notes =
    'Another merchant has proven this wallet: requests that use it are refused until this merchant proves it, too.'
  expect(await allow(other)).toMatchObject({ code: 0, output: wallet, notes })
})

test('wallets that pay refunds are registered, listed and removed', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const wallet = randomWallet()
  const change = (verb: string) => run(['refund', verb, merchant, '--address', wallet], database)
  expect(await change('allow')).toMatchObject({ code: 0, output: wallet })
  expect(await change('allow')).toMatchObject({ code: 0, output: wallet })
  expect(await command(database, 'wallet', 'list', merchant)).toBe(`refunds\tany\t${wallet}`)
  expect(await change('disallow')).toMatchObject({ code: 0, output: wallet })
  expect(await change('disallow')).toMatchObject({
    ...{ code: 1, notes: expect.stringMatching(/is not registered for refunds of mer_/) },
  })
})

test('the plain price is matched at a wallet once that is set, until the wallet changes', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const [firstWallet, secondWallet] = [randomWallet(), randomWallet()]
  const set = async (address: string, ...more: string[]) => {
    const where = ['--mode', 'testnet', '--chain', 'base', '--address', address, ...more]
    const { code, notes } = await run(['wallet', 'set', merchant, ...where], database)
    const listed = await command(database, 'wallet', 'list', merchant)
    return { code, notes, listed: listed.split('\t').slice(2).join(' ') }
  }
  const on = ['--match-plain-price', 'on']
  expect(await set(firstWallet)).toMatchObject({
    listed: `${firstWallet} match-plain-price off`,
    notes: '',
  })
  expect(await set(firstWallet, ...on)).toMatchObject({
    listed: `${firstWallet} match-plain-price on`,
    notes: expect.stringMatching(/^A transfer of exactly the price .* pays it, whoever sent it/),
  })
  expect(await set(firstWallet)).toMatchObject({ listed: `${firstWallet} match-plain-price on` })
  expect(await set(secondWallet)).toMatchObject({ listed: `${secondWallet} match-plain-price off` })
  await set(secondWallet, ...on)
  expect(await set(secondWallet, '--match-plain-price', 'off')).toMatchObject({
    ...{ listed: `${secondWallet} match-plain-price off`, notes: '' },
  })
  expect(await set(secondWallet, '--match-plain-price', 'yes')).toMatchObject({
    ...{ code: 1, notes: '--match-plain-price must be one of on, off.' },
  })
})

test('origins to which the hosted page may return', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const change = (verb: string, origin: string) =>
    run(['return', verb, merchant, '--origin', origin], database)
  expect((await change('allow', 'https://Shop.example/')).output).toBe('https://shop.example')
  expect((await change('allow', 'http://localhost:3000')).code).toBe(0)
  for (const invalid of [
    'http://shop.example',
    'https://shop.example/thanks',
    'shop.example',
    '',
  ]) {
    const { code, notes } = await change('allow', invalid)
    expect([code, notes], invalid).toEqual([1, expect.stringMatching(/^--origin must be https/)])
  }
  expect(await command(database, 'return', 'list', merchant)).toBe(
    'http://localhost:3000\nhttps://shop.example',
  )
  expect((await change('disallow', 'https://shop.example')).code).toBe(0)
  expect(await change('disallow', 'https://shop.example')).toMatchObject({
    ...{ code: 1, notes: expect.stringMatching(/is not allowed to mer_\w+; "return list mer_/) },
  })
  const nobody = ['return', 'allow', 'mer_x', '--origin', 'https://shop.example']
  expect(await run(nobody, database)).toMatchObject({
    code: 1,
    notes: 'Merchant mer_x does not exist: merchant list shows all.',
  })
})

test('a merchant has a brand', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const brand = (verb: string, ...options: string[]) =>
    run(['brand', verb, merchant, ...options], database)
  expect(await brand('show')).toMatchObject({ code: 0, printed: '' })
  expect(await brand('remove')).toMatchObject({ code: 1, notes: `${merchant} has no brand.` })

  const folder = newFolder()
  const [logo, wide] = [join(folder, 'logo.png'), join(folder, 'wide.png')]
  await Promise.all([writeFile(logo, drawLogo()), writeFile(wide, drawLogo(256, 64))])
  const accent = 'accent\t#0a7d5c'
  expect((await brand('set', '--accent', '#0A7D5C')).output).toBe(accent)
  const row = expect.stringMatching(
    /^accent\t#0a7d5c\nlogo\timage\/png\t\d+ bytes\t\/v1\/logos\/[\w-]{43}$/,
  )
  expect((await brand('set', '--logo', logo)).output).toEqual(row)
  for (const [options, error] of [
    [[], 'brand set needs --accent, --logo, or both.'],
    [['--accent', 'green'], '--accent must be # and six hexadecimal digits, such as #0a7d5c.'],
    [['--accent', '#fff', '--logo', logo], '--accent must be # and six'],
    [
      ['--logo', wide],
      '--logo must be square, with 64 to 1024 pixels a side; this picture has 256 by 64.',
    ],
    [['--logo', join(folder, 'none.png')], 'none.png cannot be read (ENOENT).'],
    [['--logo', folder], 'cannot be read (EISDIR).'],
    [
      ['--accent', '#ffffff', '--logo', import.meta.filename],
      '--logo must be a whole PNG, JPEG or WebP',
    ],
  ] as const) {
    expect(await brand('set', ...options)).toMatchObject({
      ...{ code: 1, notes: expect.stringContaining(error) },
    })
  }
  // The refused commands have changed nothing.
  expect((await brand('show')).output).toEqual(row)
  expect(await brand('remove')).toMatchObject({ code: 0, output: merchant })
  expect(await brand('show')).toMatchObject({ code: 0, printed: '' })
  for (const verb of ['set', 'show']) {
    const nobody = ['brand', verb, 'mer_x', ...(verb === 'set' ? ['--accent', '#0a7d5c'] : [])]
    expect(await run(nobody, database)).toMatchObject({
      code: 1,
      notes: 'Merchant mer_x does not exist: merchant list shows all.',
    })
  }
})

test('a merchant has a support contact', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const support = (verb: string, ...options: string[]) =>
    run(['support', verb, merchant, ...options], database)
  const set = (contact: string) => support('set', '--contact', contact)
  expect(await support('show')).toMatchObject({ code: 0, printed: '' })
  expect(await support('remove')).toMatchObject({
    ...{ code: 1, notes: `${merchant} has no support contact.` },
  })
  expect((await set('help@shop.example')).output).toBe('help@shop.example')
  expect((await set('https://Shop.example/help')).output).toBe('https://shop.example/help')
  for (const invalid of [
    '',
    'help',
    'http://shop.example',
    'javascript:alert(1)',
    'a\tb@c.example',
  ]) {
    const { code, notes } = await set(invalid)
    expect([code, notes], invalid).toEqual([1, expect.stringMatching(/^--contact must be a mail/)])
  }
  expect((await support('show')).output).toBe('https://shop.example/help')
  expect(await support('remove')).toMatchObject({ code: 0, output: merchant })
  expect(await support('show')).toMatchObject({ code: 0, printed: '' })
  for (const verb of ['set', 'show', 'remove']) {
    const nobody = [
      'support',
      verb,
      'mer_x',
      ...(verb === 'set' ? ['--contact', 'a@b.example'] : []),
    ]
    expect(await run(nobody, database)).toMatchObject({
      code: 1,
      notes: 'Merchant mer_x does not exist: merchant list shows all.',
    })
  }
})

test('a merchant has a guide to USDC, or hides the checkout’s own', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const guide = (verb: string, ...options: string[]) =>
    run(['guide', verb, merchant, ...options], database)
  expect(await guide('remove')).toMatchObject({ code: 1, notes: `${merchant} has no guide.` })
  expect((await guide('set', '--page', 'https://Shop.example/usdc')).output).toBe(
    'https://shop.example/usdc',
  )
  expect((await guide('set', '--page', 'none')).output).toBe('none')
  const { code, notes } = await guide('set', '--page', 'http://shop.example')
  expect([code, notes]).toEqual([1, expect.stringMatching(/^--page must be an https/)])
  expect((await guide('show')).output).toBe('none')
  expect(await guide('remove')).toMatchObject({ code: 0, output: merchant })
  expect(await guide('show')).toMatchObject({ code: 0, printed: '' })
})

test('keys have labels', async () => {
  const database = await separateDatabase()
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  const create = ['key', 'create', merchant, '--mode', 'testnet', '--label', 'shop backend']
  const key = await command(database, ...create)
  const list = async () => (await command(database, 'key', 'list', merchant)).split('\t')
  const [id = '', ...row] = await list()
  expect(row).toEqual(['testnet', expect.any(String), 'live', 'full', 'never used', 'shop backend'])
  await command(database, 'key', 'label', id, '--label', 'old shop')
  expect((await list()).at(-1)).toBe('old shop')
  const leaked = await run(['key', 'label', id, '--label', `the ${key}`], database)
  expect(leaked).toMatchObject({
    code: 1,
    notes: expect.stringMatching(/^--label holds an API key\./),
  })
  expect(leaked.notes).not.toContain(key)
})

test('creates, lists and revokes keys, and shows a key only once, on a database that was empty', async () => {
  const database = await separateDatabase('template1')
  const merchant = await command(database, 'merchant', 'create', '--name', 'A shop')
  expect(merchant).toMatch(/^mer_\w+$/)
  const key = await command(database, 'key', 'create', merchant, '--mode', 'mainnet')
  expect(key).toMatch(/^sk_live_[0-9A-Za-z]{49}$/)
  const listed = await command(database, 'key', 'list', merchant)
  expect(listed).toContain('live')
  expect(listed).not.toContain(key)
  await command(database, 'key', 'revoke', listed.split('\t')[0] ?? '')
  expect(await command(database, 'key', 'list', merchant)).toContain('revoked')
  expect(await command(database, 'merchant', 'list')).toContain('A shop')
})

let database: Env

beforeAll(async () => {
  database = await separateDatabase()
})

test.each([
  [['merchant', 'create'], '--name is missing.'],
  [
    ['key', 'create', 'mer_none', '--mode', 'testnet'],
    'Merchant mer_none does not exist: merchant list shows all.',
  ],
  [['key', 'create', 'mer_none', '--mode', 'test'], '--mode must be one of testnet, mainnet.'],
  [
    ['key', 'revoke', 'key_none'],
    'There is no live API key key_none: key list MERCHANT shows all.',
  ],
  [
    ['key', 'revoke', 'sk_live_abc'],
    'Pass the id of the key (key_…), as "key list MERCHANT" shows it',
  ],
  [['key', 'list', 'mer_none'], 'Merchant mer_none does not exist: merchant list shows all.'],
  [
    ['key', 'label', 'key_none', '--label', 'a'],
    'There is no API key key_none: key list MERCHANT shows all.',
  ],
  [['wallet', 'list', 'mer_none'], 'Merchant mer_none does not exist: merchant list shows all.'],
  [
    ['merchant', 'rename', 'mer_none', '--name', 'x'],
    'Merchant mer_none does not exist: merchant list shows all.',
  ],
  [['merchant', 'rename', 'mer_none', '--name', 'a\tb'], '--name must be one line of 1 to 200'],
  [['merchant', 'rename'], 'merchant rename needs MERCHANT.'],
  [['nonsense'], 'merchant create --name NAME'],
  [['merchant', 'create', '--nmae', 'x'], 'Unknown option `--nmae`. Did you mean `--name`?'],
  [
    ['merchant', 'create', '--name', 'x', '--chain', 'base'],
    'Unknown option `--chain` of merchant create. Did you mean `--default-chain`?',
  ],
  [
    ['key', 'create', 'mer_none', '--mode', 'testnet', '--name', 'till'],
    'Unknown option `--name` of key create. Known are `--mode`, `--label`, `--scope`, `--help`, `--version`.',
  ],
  [['merchant', 'list', '--json'], 'Unknown option `--json` of merchant list. Known are `--help`'],
  [['doctor', '--label', 'x'], 'Unknown option `--label` of doctor. Known are `--json`'],
  [['--port', '3000'], 'Unknown option `--port`. Known are `--name`, '],
  [
    ['merchant', 'rname', 'mer_none'],
    'merchant rname is not a command. Did you mean merchant rename?',
  ],
  [['migrat'], 'migrat is not a command. Did you mean migrate?'],
  [['merchant', 'rename', 'mer_none', 'A', '--name', 'x'], 'takes no more than MERCHANT.'],
  [
    ['wallet', 'set', 'mer_none', '--mode', 'testnet', '--chain', 'base', '--address', '0x1'],
    '--address must be 0x and 40',
  ],
])('%j prints %s', async (args, message) => {
  const { code, output } = await run(args, database)
  expect(code).toBe(1)
  expect(output).toContain(message)
  expect(output).not.toMatch(/^\s+at /m)
})

test('migrate creates the tables and names them; with DATABASE_MIGRATE=false a database that lacks them is refused', async () => {
  const database = await separateDatabase('template1')
  const env = { ...database, DATABASE_MIGRATE: 'false' }
  const early = await run(['merchant', 'list'], env)
  expect(early.code).toBe(1)
  expect(early.output).toMatch(
    /^The database lacks the migration 0001_schema\.sql, .* run the command migrate /,
  )
  expect(await command(env, 'migrate')).toMatch(/^0001_schema\.sql(\n\d{4}_\w+\.sql)*$/)
  expect(await command(env, 'migrate')).toBe('The tables are up to date.')
  expect(await command(env, 'merchant', 'create', '--name', 'A shop')).toMatch(/^mer_/)
})

test('a misspelt or invalid DATABASE_URL leads to no other database', async () => {
  for (const env of [
    { DATABSE_URL: 'postgres://h/d' },
    { DATABASE_URL: 'mysql://u:hunter2@h/d' },
  ]) {
    const { code, output } = await run(['merchant', 'list'], env)
    expect(code).toBe(1)
    expect(output).toMatch(
      /^(DATABSE_URL: is not a variable .* DATABASE_URL\?|DATABASE_URL: must be ).*$/,
    )
    expect(output).not.toContain('hunter2')
  }
  // A setting that only the server reads does not fail a command.
  const merchants = await run(['merchant', 'list'], { ...database, PORT: 'x' })
  expect(merchants.code).toBe(0)
})

test('ends the report of a transaction that no provider returns', async () => {
  const database = await separateDatabase()
  const of = ['--mode', 'testnet', '--chain', 'base']
  const hash = `0x${'ab'.repeat(32)}`
  const refused = await run(['chain', 'dismiss', hash, ...of], database)
  expect(refused).toMatchObject({ code: 1, output: `Base Sepolia: ${hash} is not in quarantine.` })
  const invalid = await run(['chain', 'dismiss', '0x12', ...of], database)
  expect(invalid.output).toBe('TX_HASH must be 0x and 64 hexadecimal digits.')
  const client = new pg.Client({ connectionString: database.DATABASE_URL })
  await client.connect()
  await client.query(
    `insert into deferred_transactions (chain_id, tx_hash, block_number, block_hash, reason, quarantined_at)
     values (84532, $1, 1, '0x12', 'unknown', now())`,
    [hash],
  )
  await client.end()
  const printed = await command(
    database,
    'chain',
    'dismiss',
    hash.toUpperCase().replace('X', 'x'),
    ...of,
  )
  expect(printed).toMatch(/^Base Sepolia: 0x(ab){32} is no longer reported\. /)
})
