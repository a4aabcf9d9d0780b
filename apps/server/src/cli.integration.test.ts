import { beforeAll, expect, test } from 'vitest'
import { ownDatabase, runCommand } from '../test/serverProcess.ts'

type Database = Awaited<ReturnType<typeof ownDatabase>>

async function command(database: Database, ...args: string[]): Promise<string> {
  const { code, output } = await runCommand(args, database)
  expect(code, output).toBe(0)
  return output
}

test('creates, lists and revokes keys, and shows a key only once, on a database that was empty', async () => {
  const database = await ownDatabase('template1')
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

let database: Database

beforeAll(async () => {
  database = await ownDatabase()
})

test.each([
  [['merchant', 'create'], '--name is missing.'],
  [['key', 'create', 'mer_none', '--mode', 'testnet'], 'No merchant mer_none.'],
  [['key', 'create', 'mer_none', '--mode', 'test'], '--mode must be one of testnet, mainnet.'],
  [['key', 'revoke', 'key_none'], 'No live API key key_none.'],
  [['nonsense'], 'merchant create --name NAME'],
  [['merchant', 'create', '--nmae', 'x'], "Unknown option '--nmae'"],
  [
    ['wallet', 'set', 'mer_none', '--mode', 'testnet', '--chain', 'base', '--address', '0x1'],
    '--address must be 0x and 40',
  ],
])('%j prints %s', async (args, message) => {
  const { code, output } = await runCommand(args, database)
  expect(code).toBe(1)
  expect(output).toContain(message)
  expect(output).not.toMatch(/^\s+at /m)
})

test('migrate makes the tables, and says so; without it a server that may not is told of it', async () => {
  const database = await ownDatabase('template1')
  const env = { ...database, DATABASE_MIGRATE: 'false' }
  const early = await runCommand(['merchant', 'list'], env)
  expect(early.code).toBe(1)
  expect(early.output).toMatch(
    /^The database lacks the migration 0001_\w+\.sql, .* run the command migrate /,
  )
  expect(await command(env, 'migrate')).toMatch(/^0001_\w+\.sql\n(\d{4}_\w+\.sql\n?)+$/)
  expect(await command(env, 'migrate')).toBe('The tables are up to date.')
  expect(await command(env, 'merchant', 'create', '--name', 'A shop')).toMatch(/^mer_/)
})

test('a misspelt or faulty DATABASE_URL leads to no other database', async () => {
  for (const env of [
    { DATABSE_URL: 'postgres://h/d' },
    { DATABASE_URL: 'mysql://u:hunter2@h/d' },
  ]) {
    const { code, output } = await runCommand(['merchant', 'list'], env)
    expect(code).toBe(1)
    expect(output).toMatch(
      /^(DATABSE_URL: is no variable .* DATABASE_URL\?|DATABASE_URL: must be ).*$/,
    )
    expect(output).not.toContain('hunter2')
  }
  // What only the server reads is no trouble of a command.
  const merchants = await runCommand(['merchant', 'list'], { ...database, PORT: 'x' })
  expect(merchants.code).toBe(0)
})
