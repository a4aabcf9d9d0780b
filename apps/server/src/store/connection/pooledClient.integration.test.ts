import { getHeapSpaceStatistics } from 'node:v8'
import { expect, onTestFinished, test } from 'vitest'
import { dbOfFile } from '../../../test/support/database/fixtures.ts'
import { classifyDbError } from '../../lib/classifyDbError.ts'
import { connect } from './connect.ts'

const db = dbOfFile()

/** A pool of one connection, whose statements PostgreSQL itself does not limit. */
function poolWithLimit(statement: number) {
  const { pool } = connect({
    ...{ url: db.url, poolSize: 1, pooled: true },
    timeouts: { connect: 10_000, statement, lock: 1_000 },
  })
  onTestFinished(() => pool.end())
  const pid = async () => (await pool.query('select pg_backend_pid() as pid')).rows[0]?.pid
  return { pool, pid }
}

test('a statement without a response in time fails, and its connection is replaced', async () => {
  const { pool, pid } = poolWithLimit(200)
  const first = await pid()
  const error: unknown = await pool.query('select pg_sleep(3)').catch((error) => error)
  expect(error).toMatchObject({ message: 'Connection terminated: no response within 200 ms' })
  expect(classifyDbError(error)).toBe('away')
  expect(await pid()).not.toBe(first)
})

test('the time of a statement begins with it, however old its connection is', async () => {
  const { pool, pid } = poolWithLimit(1_000)
  const first = await pid()
  await db.pool.query('select pg_sleep(1.1)')
  await pool.query('select pg_sleep(0.6)')
  await pool.query('select pg_sleep(0.6)')
  expect(await pid()).toBe(first)
  await expect(pool.query('select pg_sleep(3)')).rejects.toThrow('no response')
})

test('a statement may have a limit of its own', async () => {
  const { pool } = poolWithLimit(200)
  const query = (text: string, query_timeout: number) => {
    const statement = { text, query_timeout }
    return pool.query(statement)
  }
  await query('select pg_sleep(0.5)', 10_000)
  await expect(query('select pg_sleep(3)', 50)).rejects.toThrow('Query read timeout')
})

test('an error leads to the function that sent the statement', async () => {
  const { pool } = poolWithLimit(1_000)
  const client = await pool.connect()
  onTestFinished(() => client.release())
  const error: unknown = await client.query('selekt 1').catch((error) => error)
  expect((error as Error).stack).toContain('pooledClient.integration.test.ts')
})

test('V8 does not keep the rows of past statements', async () => {
  const { pool } = poolWithLimit(60_000)
  const client = await pool.connect()
  onTestFinished(() => client.release())
  const read = () => client.query('select n, n::text as text from generate_series(1, 30) n')
  const oldSpace = () =>
    getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
      ?.space_used_size ?? 0
  for (let statement = 0; statement < 2_000; statement += 1) await read()
  const before = oldSpace()
  for (let statement = 0; statement < 6_000; statement += 1) await read()
  // Kept, they would take more than 10 MB.
  expect(oldSpace() - before).toBeLessThan(5_000_000)
})
