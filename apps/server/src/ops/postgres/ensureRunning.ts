import { constants, lstat, open } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError, failed, orExternalDatabase } from './embeddedError.ts'
import { readLockFile, releaseIfStale } from './lockFile.ts'
import type { PgCtl, Postgres } from './postgres.ts'

/** The timeout of a start, since recovery after a crash takes minutes. */
const startSeconds = 300
const patienceMs = 60_000

/**
 * Starts the cluster unless it runs. Waits while it starts or ends.
 *
 * @param requestedPort the port of a start; null: any free port
 */
export async function ensureRunning(
  { cluster, dataDir }: Postgres,
  pgCtl: PgCtl,
  requestedPort: number | null = null,
): Promise<{ port: number; started: boolean }> {
  const startedAt = Date.now()
  for (; ; await sleep(100)) {
    const elapsed = Date.now() - startedAt
    if ((await pgCtl('status')).outcome === 'done') {
      const lock = await readLockFile(cluster)
      if (lock?.status === 'ready' && (await accepts(lock.port))) {
        return { port: lock.port, started: false }
      }
      if ((await releaseIfStale(cluster)) === 'released') continue
      if (elapsed < (lock?.status === 'ready' ? patienceMs : startSeconds * 1000)) continue
      throw new EmbeddedError(
        `Process ${lock?.pid} holds ${cluster}, but takes no connections: end it and start again, ${orExternalDatabase}`,
      )
    }
    const port = requestedPort ?? (await freePort())
    const log = join(cluster, 'server.log')
    const logged = await sizeOf(log)
    const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`
    const { outcome, printed } = await pgCtl(
      ...['--log', 'server.log', '--options', settings],
      ...['--timeout', String(startSeconds), 'start'],
    )
    if (outcome === 'done') return { port, started: true }
    const output = `${printed.trim()}\n${await readFrom(log, logged)}`
    // Processes of a killed PostgreSQL may still be ending, or another program may have the port now.
    const isTemporary = /pre-existing shared memory|lock file|could not create any TCP/.test(output)
    if (!isTemporary || elapsed > patienceMs) throw await failed('did not start', dataDir, output)
  }
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = createConnection({ host: '127.0.0.1', port })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', reject)
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}

// Follow no links: if this process is root, the cluster belongs to another account.
const { O_RDONLY, O_NOFOLLOW } = constants

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => null))?.size ?? 0
}

/** Reads the log from a position on: errors of earlier starts would mislead. */
async function readFrom(path: string, position: number): Promise<string> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW).catch(() => null)
  if (!file) return ''
  try {
    const { size } = await file.stat()
    const length = Math.max(0, Math.min(size - position, 10_000))
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
