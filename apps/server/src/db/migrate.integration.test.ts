import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chainNames } from '@payment-intents/contract'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { addresses, fillLists, intentAt } from '../../test/fillLists.ts'
import { ofTest } from '../../test/fixtures.ts'
import { countWaiting } from '../../test/locks.ts'
import { createTestDb } from '../../test/testDb.ts'
import { StartError } from '../startError.ts'
import { transaction } from './connect.ts'
import { insertMerchant } from './merchants/merchants.ts'
import { checkMigrated, migrate } from './migrate.ts'

const db = ofTest(createTestDb, (db) => db.close())
let folder: string

beforeEach(async () => {
  folder = newFolder()
  await cp(new URL('./migrations/', import.meta.url), folder, { recursive: true })
})
const run = () => migrate(db, pathToFileURL(`${folder}/`))
const lookOnly = () => checkMigrated(db, pathToFileURL(`${folder}/`))
const write = (name: string, text: string) => writeFile(join(folder, name), text)
const checksums = async () =>
  (await db.pool.query('select name, checksum from migrations order by name')).rows

test('a migration is applied once, and its checksum kept', async () => {
  await write('9001_shelves.sql', 'create table shelves (id int);')
  expect(await run()).toEqual(['9001_shelves.sql'])
  expect(await run()).toEqual([])
  for (const row of await checksums()) expect(row.checksum).toMatch(/^[0-9a-f]{64}$/)
})

test('a database that was made with another text of a migration is refused, and not changed', async () => {
  await write('9001_shelves.sql', 'create table shelves (id int);')
  await run()
  await write('9001_shelves.sql', 'create table shelves (id bigint);')
  await write('9002_books.sql', 'create table books (id int);')
  await expect(run()).rejects.toThrow(
    /^The database was made with another text of the migration 9001_shelves.sql /,
  )
  await expect(run()).rejects.toThrow(StartError)
  expect((await checksums()).map(({ name }) => name)).not.toContain('9002_books.sql')
  await write('9001_shelves.sql', 'create table shelves (id int);')
  expect(await run()).toEqual(['9002_books.sql'])
})

test('lines may end as the checkout made them end', async () => {
  await write('9001_shelves.sql', 'create table shelves (\n  id int\n);\n')
  await run()
  await write('9001_shelves.sql', 'create table shelves (\r\n  id int\r\n);\r\n')
  expect(await run()).toEqual([])
})

test('the payers of what was paid before are filled in', async () => {
  await insertMerchant(db.pool, { id: 'mer_1', name: 'Shop', defaultChain: null })
  await fillLists(db, 'mer_1', 50)
  const read = async () => {
    const { rows } = await db.pool.query(
      'select * from payment_intent_payers order by intent_id, payer',
    )
    return rows
  }
  const written = await read()
  // The newest is paid by all three.
  expect(written).toHaveLength(3)
  // Some are credited to intents of their own.
  await db.pool.query(
    `update transfers set intent_id = 'pi_' || substr(id, 4) where intent_id is not null`,
  )
  const before = await read()
  expect(before).toHaveLength(45)
  expect(before.at(-1)).toEqual({
    ...{ merchant_id: 'mer_1', mode: 'testnet', payer: addresses.even, chain: 'base' },
    ...{ status: 'requires_payment', intent_id: intentAt(50, 50).id },
  })
  await forgetPayers()
  expect(await run()).toEqual(['0018_payers.sql'])
  expect(await read()).toEqual(before)
})

test('payers are filled in before a reading or after it, and wait for one that is being written', async () => {
  await insertMerchant(db.pool, { id: 'mer_1', name: 'Shop', defaultChain: null })
  await fillLists(db, 'mer_1', 50)
  await forgetPayers()
  const migrating = await transaction(db, async (client) => {
    await client.query('set local idle_in_transaction_session_timeout = 0')
    const { id } = intentAt(1, 50)
    // As a reading does: locks what it may change, credits, and changes the status.
    await client.query(
      `select from payment_intents where id in (
         select $1 union all select intent_id from transfers where id = $1
       ) for update`,
      [id],
    )
    const migrated = run()
    await expect.poll(() => countWaiting(db)).toBe(1)
    await client.query(
      `update transfers set intent_id = $1, bound_by = 'reference' where id = 'tr_' || substr($1, 4)`,
      [id],
    )
    await client.query(`update payment_intents set status = 'succeeded' where id = $1`, [id])
    return { migrated }
  })
  expect(await migrating.migrated).toEqual(['0018_payers.sql'])
  const { rows } = await db.pool.query(
    'select status from payment_intent_payers where payer = $1',
    [addresses.rare],
  )
  expect(rows).toContainEqual({ status: 'succeeded' })
})

/** Takes back what the migration of payers made. */
async function forgetPayers(): Promise<void> {
  await db.pool.query(
    `drop table payment_intent_payers;
     drop function follow_intent_status, add_payers, move_payer cascade;
     delete from migrations where name = '0018_payers.sql'`,
  )
}

test('a database of a newer release is refused', async () => {
  await write('9001_shelves.sql', 'create table shelves (id int);')
  await run()
  await rm(join(folder, '9001_shelves.sql'))
  await expect(run()).rejects.toThrow(
    /^The database has the migration 9001_shelves.sql, which this release does not know: /,
  )
})

test('what was applied before there were checksums gets those of its files', async () => {
  const before = await checksums()
  await db.pool.query('alter table migrations drop column checksum')
  expect(await run()).toEqual([])
  expect(await checksums()).toEqual(before)
})

test('no check lists chains, so that a new chain needs no migration', async () => {
  const { rows } = await db.pool.query(
    `select conrelid::regclass::text as table, conname as check from pg_constraint
     where contype = 'c' and pg_get_constraintdef(oid) ~ $1`,
    [`'(${chainNames.join('|')})'`],
  )
  expect(rows).toEqual([])
})

test('without migrating, a database is refused until it has all migrations, and not changed', async () => {
  expect(await lookOnly()).toEqual([])
  await write('9001_shelves.sql', 'create table shelves (id int);')
  await expect(lookOnly()).rejects.toThrow(
    /^The database lacks the migration 9001_shelves.sql, and DATABASE_MIGRATE is false: run the command migrate /,
  )
  await expect(lookOnly()).rejects.toThrow(StartError)
  expect((await checksums()).map(({ name }) => name)).not.toContain('9001_shelves.sql')
  await run()
  expect(await lookOnly()).toEqual([])
  await write('9001_shelves.sql', 'create table shelves (id bigint);')
  await expect(lookOnly()).rejects.toThrow(/made with another text of the migration 9001_shelves/)
  await rm(join(folder, '9001_shelves.sql'))
  await expect(lookOnly()).rejects.toThrow(/has the migration 9001_shelves.sql, which this release/)
})

test('without migrating, an empty database and one without checksums are understood', async () => {
  await db.pool.query('alter table migrations drop column checksum')
  expect(await lookOnly()).toEqual([])
  await db.pool.query('drop table migrations')
  await expect(lookOnly()).rejects.toThrow(/lacks the migration 0001_payment_intents.sql/)
})
