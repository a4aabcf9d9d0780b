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
