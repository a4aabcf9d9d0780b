import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chainNames } from '@payment-intents/contract'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { ofTest } from '../../test/support/database/fixtures.ts'
import { createTestDb } from '../../test/support/database/testDb.ts'
import { StartError } from '../lib/startError.ts'
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

test('a migration is applied once, and its checksum is stored', async () => {
  await write('9001_shelves.sql', 'create table shelves (id int);')
  expect(await run()).toEqual(['9001_shelves.sql'])
  expect(await run()).toEqual([])
  for (const row of await checksums()) expect(row.checksum).toMatch(/^[0-9a-f]{64}$/)
})

test('a database that was created with another text of a migration is refused, and not changed', async () => {
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

test('a checkout may have any line endings', async () => {
  await write('9001_shelves.sql', 'create table shelves (\n  id int\n);\n')
  await run()
  await write('9001_shelves.sql', 'create table shelves (\r\n  id int\r\n);\r\n')
  expect(await run()).toEqual([])
})

test('a database of a newer release is refused', async () => {
  await write('9001_shelves.sql', 'create table shelves (id int);')
  await run()
  await rm(join(folder, '9001_shelves.sql'))
  await expect(run()).rejects.toThrow(
    /^The database has the migration 9001_shelves.sql, which this release does not know: /,
  )
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

test('without migrating, an empty database is refused', async () => {
  await db.pool.query('drop table migrations')
  await expect(lookOnly()).rejects.toThrow(/lacks the migration 0001_schema.sql/)
})
