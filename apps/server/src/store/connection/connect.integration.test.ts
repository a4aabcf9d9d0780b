import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { connect, type Queryable, requestTimeouts, transaction } from './connect.ts'

const db = dbOfFile()

test('a connection that breaks between two statements fails its transaction, and nothing else', async () => {
  const broken = transaction(db, async (queryable) => {
    const client = queryable as pg.PoolClient
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    await db.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    await ended
    await client.query('select 1')
  })
  await expect(broken).rejects.toThrow('not queryable')
  expect((await db.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('an idle transaction keeps its locks for at most ten seconds', async () => {
  const database = connect({ url: db.url, poolSize: 1 })
  onTestFinished(() => database.pool.end())
  const { rows } = await database.pool.query('show idle_in_transaction_session_timeout')
  expect(rows).toEqual([{ idle_in_transaction_session_timeout: '10s' }])
})

test('a connection to a server that became a standby is replaced', async () => {
  const { pathname } = new URL(db.url)
  const readOnly = (value: string) =>
    db.pool.query(
      `alter database ${pathname.slice(1)} set default_transaction_read_only = ${value}`,
    )
  await readOnly('on')
  const database = connect({ url: db.url, poolSize: 1 })
  onTestFinished(() => database.pool.end())
  const write = () =>
    transaction(database, (client) => client.query('create table shelves (id int)'))
  await expect(write()).rejects.toThrow('read-only transaction')
  await readOnly('off')
  await write()
})

test('through a pooler no statement is prepared, and a transaction sets its own limits', async () => {
  const pooled = connect({
    url: db.url,
    poolSize: 1,
    pooled: true,
    timeouts: requestTimeouts(4_000),
  })
  onTestFinished(() => pooled.pool.end())
  const limits = async (on: Queryable) => {
    const { rows } = await on.query({
      name: 'read-limits',
      text: `select name, setting from pg_settings
        where name ~ '^(statement|lock|idle_in_transaction_session)_timeout$' order by name`,
    })
    return rows.map(({ setting }) => setting)
  }
  expect(await limits(pooled.pool)).toEqual(['0', '0', '0'])
  expect(await transaction(pooled, limits)).toEqual(['10000', '2000', '3600'])
  expect(await limits(pooled.pool)).toEqual(['0', '0', '0'])
  const prepared = await pooled.pool.query('select name from pg_prepared_statements')
  expect(prepared.rows).toEqual([])
})

test('an error of an ended pool’s connection is not passed on', async () => {
  const reported: string[] = []
  const onError = ({ message }: Error) => void reported.push(message)
  const { pool } = connect({ url: db.url, poolSize: 1, onError })
  const connected = new Promise<pg.PoolClient>((resolve) => pool.once('connect', resolve))
  await pool.query('select 1')
  const client = await connected
  const ended = pool.end()
  // PostgreSQL may stop before it has read the end of the connection.
  client.emit('error', new Error('terminating connection'))
  await ended
  expect(reported).toEqual([])
})
