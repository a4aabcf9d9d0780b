/**
 * Measures the time from the start of the packed server to its first 200 of `/readyz`, with an existing embedded cluster; and its idle
 * memory, with a separate PostgreSQL. `pnpm build` first. Further arguments name other bundles to compare with: their runs take turns with
 * its own.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../packages/testing/src/devChain/freePort.ts'
import { median, rounded } from './numbers.ts'
import { openBenchDb } from './openBenchDb.ts'
import { startStub } from './watch/watchSetting.ts'

type Started = { readonly child: ChildProcess; readonly readyMs: number; readonly cpuMs: number }

const runs = Number(process.env.RUNS ?? 7)
const idleSeconds = Number(process.env.IDLE_SECONDS ?? 30)
const packed = fileURLToPath(new URL('../apps/server/dist/server.js', import.meta.url))
const files = [packed, ...process.argv.slice(2).map((path) => resolve(path))]

const stub = await startStub()
await stub.set({ head: 1_000, genesis: Math.floor(Date.now() / 1000) - 2_000 })
const dataDir = await mkdtemp(join(tmpdir(), 'payment-intents-bench-'))
try {
  const samples = new Map(files.map((file) => [file, [] as Started[]]))
  // The first makes the cluster, and Node.js's compile cache.
  for (let run = -1; run < runs; run += 1) {
    for (const file of files) {
      const started = await start(file, { DATA_DIR: dataDir })
      if (run >= 0) samples.get(file)?.push(started)
      await stop(started.child)
    }
  }
  console.log(`\nReady with an embedded cluster that exists, median of ${runs}`)
  console.table(
    Object.fromEntries(
      [...samples].map(([file, started]) => [
        file,
        rounded({
          'to ready, ms': median(started.map(({ readyMs }) => readyMs)),
          'CPU until then, ms': median(started.map(({ cpuMs }) => cpuMs)),
        }),
      ]),
    ),
  )
  console.log(`\nResident memory after ${idleSeconds} s idle, without PostgreSQL`)
  const memory: Record<string, Record<string, number>> = {}
  for (const file of files) memory[file] = rounded({ MB: await idleMemory(file) })
  console.table(memory)
} finally {
  stub.close()
  await rm(dataDir, { recursive: true })
}

async function start(file: string, env: Record<string, string>): Promise<Started> {
  const port = await freePort()
  const begun = performance.now()
  const child = spawn(process.execPath, [file], {
    env: {
      ...{ PATH: process.env.PATH, HOME: dataDir, HOST: '127.0.0.1', PORT: String(port) },
      SHUTDOWN_DELAY_SECONDS: '0',
      ...{ RPC_URL_BASE_TESTNET: stub.url, LOG_LEVEL: 'error', ...env },
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  while (!(await isReady(`http://127.0.0.1:${port}/readyz`))) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}.`)
    await sleep(10)
  }
  const readyMs = performance.now() - begun
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return { child, readyMs, cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 }
}

async function idleMemory(file: string): Promise<number> {
  const opened = await openBenchDb()
  const { child } = await start(file, {
    DATABASE_URL: opened.db.pool.options.connectionString ?? '',
    SERVER_SECRET: 'f3a1c85d09be72461e8ddc0b94a7365f',
  })
  await sleep(idleSeconds * 1_000)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  await stop(child)
  await opened.close()
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
