import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { clusterState } from './clusterState.ts'

const shutDown = 1
const inProduction = 6

async function cluster(files: Record<string, string | Buffer>): Promise<string> {
  const folder = newFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

function controlFile(state: number): Buffer {
  const content = Buffer.alloc(8192)
  content.writeInt32LE(state, 16)
  return content
}

test('a folder that is missing or empty holds none', async () => {
  expect(await clusterState('/nowhere')).toBe('none')
  expect(await clusterState(await cluster({}))).toBe('none')
})

test.each<[string, Record<string, string | Buffer>]>([
  ['began', { PG_VERSION: '18' }],
  ['made the first database', { PG_VERSION: '18', 'global/pg_control': controlFile(shutDown) }],
  [
    'was copying the last database',
    { 'base/5/PG_VERSION': '18', 'global/pg_control': controlFile(inProduction) },
  ],
  ['was cut short', { 'base/5/PG_VERSION': '18', 'global/pg_control': '' }],
])('one that initdb %s, and did not finish, is unfinished', async (_, files) => {
  expect(await clusterState(await cluster(files))).toBe('unfinished')
})

test.each<[string, Record<string, string | Buffer>]>([
  ['initdb finished', { 'base/5/PG_VERSION': '18', 'global/pg_control': controlFile(shutDown) }],
  ['was started once', { PG_VERSION: '18', 'postmaster.opts': '' }],
  ['is a base backup', { PG_VERSION: '18', backup_label: '' }],
  ['is a replica', { PG_VERSION: '18', 'standby.signal': '' }],
])('one that %s is ready', async (_, files) => {
  expect(await clusterState(await cluster(files))).toBe('ready')
})
