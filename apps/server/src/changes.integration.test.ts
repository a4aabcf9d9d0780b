import { Socket } from 'node:net'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { until } from '../../../tests/support/until.ts'
import { dbOfFile } from '../test/fixtures.ts'
import { listenForChanges } from './changes.ts'

const db = dbOfFile()
afterEach(() => vi.restoreAllMocks())

test('stopping while a broken connection is restored leaves none behind', async () => {
  const changes = await listenForChanges(db, () => {})
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'listen %'`,
  )
  const ended = vi.fn()
  const connect: () => Promise<unknown> = pg.Client.prototype.connect
  vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (this: pg.Client) {
    this.once('end', ended)
    const connected = connect.call(this)
    void changes.stop()
    return connected
  })
  await until(() => expect(ended).toHaveBeenCalled())
})

test('a listening connection that is half open is found as soon as any other', async () => {
  const kept = vi.spyOn(Socket.prototype, 'setKeepAlive')
  const changes = await listenForChanges(db, () => {})
  expect(kept.mock.calls).toEqual([[true, db.pool.options.keepAliveInitialDelayMillis]])
  await changes.stop()
})
