import fs, { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Queryable } from '../connection/connect.ts'
import { openServerKeys } from './serverKeys.ts'

/** A database that no server has used. */
const unused = { query: async () => ({ rows: [] }) } as unknown as Queryable

/** Makes the first write stop between the creation of its file and the content. */
function holdFirstWrite() {
  const created = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isFirst = true
  const write = vi.spyOn(fs, 'writeFile').mockImplementation(async (path, text, options) => {
    const isHeld = isFirst
    isFirst = false
    const { flag, mode } = options as { flag: string; mode: number }
    const file = await open(path as string, flag, mode)
    if (isHeld) {
      created.resolve()
      await released.promise
    }
    await file.writeFile(text as string)
    await file.close()
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    write.mockRestore()
    syncBuiltinESMExports()
  })
  return { created: created.promise, release: released.resolve }
}

test('two servers that start at once on a new data directory have the same secret', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-secret-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const secrets = { serverSecret: null, previousSecrets: [], dataDir: join(folder, 'data') }
  const { created, release } = holdFirstWrite()
  const first = openServerKeys(unused, secrets)
  await created
  const second = await openServerKeys(unused, secrets)
  release()
  expect((await first).next.fingerprint).toBe(second.next.fingerprint)
  expect(await readdir(secrets.dataDir)).toEqual(['server.secret'])
})
