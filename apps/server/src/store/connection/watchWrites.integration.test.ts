import { expect, onTestFinished, test } from 'vitest'
import { copyCluster } from '../../../../../tests/support/copyCluster.ts'
import { newFolder } from '../../../../../tests/support/newFolder.ts'
import { until } from '../../../../../tests/support/until.ts'
import { mountSmallDisk } from '../../../test/support/database/smallDisk.ts'
import { startEmbedded } from '../../ops/postgres/embedded.ts'
import { migrate } from '../migrate.ts'
import { connect } from './connect.ts'
import { watchDatabase } from './watchDatabase.ts'

/** A watch of a database to which nobody else writes. */
async function watchAlone(dataDir: string) {
  await copyCluster(dataDir)
  const { url, stop } = await startEmbedded(dataDir)
  onTestFinished(stop)
  const db = connect({ url, poolSize: 2 })
  onTestFinished(() => db.pool.end())
  await migrate(db)
  const lines: { message: string; failures?: number }[] = []
  const write = (fields: object, message: string) => void lines.push({ ...fields, message })
  const watch = watchDatabase([db], { error: write, warn: write, info: write } as never)
  onTestFinished(() => watch.stop())
  return { db, watch, lines }
}

test('a process without writes notices a full disk, and its end', async ({ skip }) => {
  const folder = newFolder()
  const disk = mountSmallDisk(folder, 120)
  if (!disk) return skip('this user may not mount a disk')
  onTestFinished(disk.unmount)
  const { db, watch, lines } = await watchAlone(folder)
  // Leaves room for the row of the check in its page.
  await until(async () => expect((await db.pool.query('table write_checks')).rowCount).toBe(1))
  expect(watch.writeFault()).toBeNull()
  await disk.fill()
  await until(() => expect(watch.writeFault()).toBe('disk_full'))
  disk.free()
  await until(() => expect(watch.writeFault()).toBeNull())
  expect(lines).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/takes no writes: the disk/) }),
    expect.objectContaining({ message: 'the database takes writes again' }),
  ])
})

test('a process without writes notices that a primary turns read-only', async () => {
  const { db, watch, lines } = await watchAlone(newFolder())
  await db.pool.query('alter system set default_transaction_read_only = on')
  await db.pool.query('select pg_reload_conf()')
  await until(() => expect(watch.writeFault()).toBe('read_only'))
  await db.pool.query('alter system reset default_transaction_read_only')
  await db.pool.query('select pg_reload_conf()')
  await until(() => expect(watch.writeFault()).toBeNull())
  expect(lines.map(({ message }) => message)).toEqual([
    expect.stringMatching(/takes no writes: it is read-only/),
    'the database takes writes again',
  ])
  expect(lines.at(-1)?.failures).toBeGreaterThan(0)
})
