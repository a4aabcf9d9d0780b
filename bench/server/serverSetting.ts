import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Db } from '../../apps/server/src/store/connection/connect.ts'
import { freePort } from '../../packages/testing/src/devChain/freePort.ts'
import { createMerchant } from '../../tests/support/createMerchant.ts'
import { openBenchDb } from '../openBenchDb.ts'
import { startStub } from '../watch/watchSetting.ts'

export type Process = {
  readonly url: string
  /** The processes that respond: this process, or its workers. */
  workers(): number[]
  /** Seconds of CPU so far. */
  cpu(): number
  /** Megabytes in use (the resident set). */
  memory(): number
  stop(): Promise<void>
}

export type Setting = {
  readonly db: Db
  readonly databaseUrl: string
  readonly server: Process
  /** A new merchant with a wallet. */
  merchant(): Promise<{ id: string; apiKey: string; wallet: `0x${string}` }>
  close(): Promise<void>
}

export const serverSecret = 'f3a1c85d09be72461e8ddc0b94a7365f'

/** A real PostgreSQL with fsync on, and the real server in a process of its own. @param env more of its variables */
export async function createSetting(env: Record<string, string> = {}): Promise<Setting> {
  const opened = await openBenchDb()
  const { db } = opened
  const databaseUrl = db.pool.options.connectionString ?? ''
  const stub = await startStub()
  await stub.set({ head: 1_000, genesis: Math.floor(Date.now() / 1000) - 2_000 })
  const server = await startProcess('../../apps/server/src/main.ts', '/readyz', {
    DATABASE_URL: databaseUrl,
    SERVER_SECRET: serverSecret,
    RPC_URL_BASE_TESTNET: stub.url,
    LOG_LEVEL: 'error',
    // All clients of the benchmark have one address.
    RESOLVES_PER_ADDRESS: '1000000',
    ...env,
  })
  let merchants = 0
  return {
    ...{ db, databaseUrl, server },
    async merchant() {
      merchants += 1
      const wallet = `0x${merchants.toString(16).padStart(40, '5')}` as const
      return { ...(await createMerchant(db.pool, { name: 'Bench', wallet })), wallet }
    },
    async close() {
      await server.stop()
      stub.close()
      await opened.close()
    },
  }
}

/** @param file beside this file; it listens on `PORT` */
export async function startProcess(
  file: string,
  readyPath: string,
  env: Record<string, string> = {},
): Promise<Process> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env: {
      ...{ PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port) },
      SHUTDOWN_DELAY_SECONDS: '0',
      // As the image and the unit in deploy/ have it.
      NODE_OPTIONS: '--max-semi-space-size=16',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  while (!(await isReady(url + readyPath))) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}.`)
    await sleep(50)
  }
  return {
    url,
    workers() {
      const children = childrenOf(child.pid ?? 0)
      return children.length > 0 ? children : [child.pid ?? 0]
    },
    cpu: () => cpuOf(child.pid ?? 0),
    memory: () => memoryOf(child),
    async stop() {
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      await closed
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

function memoryOf({ pid }: ChildProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

/** Linux: user and system time in seconds, with that of its workers. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const processSeconds = (Number(fields[11]) + Number(fields[12])) / 100
  return childrenOf(pid).reduce((sum, child) => sum + cpuOf(child), processSeconds)
}

/** Linux: the child processes that have not ended. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}
