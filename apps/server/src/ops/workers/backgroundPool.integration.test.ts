import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenLocally } from '../../../../../tests/support/listenLocally.ts'
import { separateDatabase } from '../../../test/support/server/serverProcess.ts'
import { readConfig } from '../../config.ts'
import { openBackgroundPool } from './backgroundPool.ts'

const rpc = { RPC_URL_BASE_TESTNET: 'http://127.0.0.1:9' }

test('the process id shows whether PostgreSQL itself responds; through a pooler nothing is prepared', async () => {
  const direct = await separateDatabase()
  expect(await isPooled(direct)).toBe(false)
  expect(await isPooled({ ...direct, DATABASE_URL: await startPooler(direct.DATABASE_URL) })).toBe(
    true,
  )
})

test.for([true, false])(
  'a worker learns from its parent whether a pooler is used: %s',
  async (pooled) => {
    const { DATABASE_URL: databaseUrl } = await separateDatabase()
    const config = readConfig({ ...rpc, DATA_DIR: '/nowhere' })
    const settings = { databaseUrl, pooled } as Parameters<typeof openBackgroundPool>[1]
    const { db, close } = await openBackgroundPool(config, settings, () => {})
    onTestFinished(close)
    expect(db.pooler !== undefined).toBe(pooled)
  },
)

async function isPooled(env: Record<string, string>): Promise<boolean> {
  const { db, close } = await openBackgroundPool(readConfig({ ...rpc, ...env }), null, () => {})
  onTestFinished(close)
  return db.pooler !== undefined
}

/** Passes everything on, but sends each client a process id of its own (BackendKeyData), as poolers do. */
async function startPooler(databaseUrl: string): Promise<string> {
  const behind = new URL(databaseUrl)
  const { port, close } = await listenLocally(
    createServer((near) => {
      const far = connect(Number(behind.port), behind.hostname)
      near.pipe(far)
      far.on('data', (bytes) => near.write(withOtherProcessId(bytes)))
      far.on('close', () => near.destroy())
      near.on('close', () => far.destroy())
      for (const socket of [near, far]) socket.on('error', () => {})
    }),
  )
  onTestFinished(close)
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return url.href
}

const keyData = Buffer.from([0x4b, 0, 0, 0, 12])

function withOtherProcessId(bytes: Buffer): Buffer {
  const at = bytes.indexOf(keyData)
  if (at >= 0) bytes.writeInt32BE(bytes.readInt32BE(at + 5) + 1, at + 5)
  return bytes
}
