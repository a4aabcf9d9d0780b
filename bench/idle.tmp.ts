import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '/work/wt-procs/packages/testing/src/freePort.ts'
import { openBenchDb } from '/work/wt-procs/bench/openBenchDb.ts'
import { startStub } from '/work/wt-procs/bench/watch/setting.ts'
const stub = await startStub(); await stub.set({ head: 1000, genesis: Math.floor(Date.now()/1000)-2000 })
const opened = await openBenchDb()
const dist = process.argv[2]
const variants: [string, string[], Record<string,string>][] = JSON.parse(process.argv[3])
for (const [name, args, env] of variants) {
  const port = await freePort(); const t = performance.now()
  const child = spawn(process.execPath, [...args, dist], { env: { PATH: process.env.PATH, HOME: '/tmp/w/procs', HOST: '127.0.0.1', PORT: String(port), RPC_URL_BASE_TESTNET: stub.url, LOG_LEVEL: 'error', DATABASE_URL: opened.db.pool.options.connectionString, SERVER_SECRET: 'f3a1c85d09be72461e8ddc0b94a7365f', ...env }, stdio: ['ignore','inherit','inherit'] })
  for (;;) { if (await fetch(`http://127.0.0.1:${port}/readyz`).then(r=>r.ok,()=>false)) break; await sleep(10) }
  const ready = performance.now()-t
  const f = readFileSync(`/proc/${child.pid}/stat`,'utf8').split(') ')[1].split(' ')
  const rss = () => Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`,'utf8'))![1])/1024)
  const r0 = rss(); await sleep(Number(process.env.IDLE ?? 6000))
  console.log(name, 'ready', Math.round(ready), 'cpu', (Number(f[11])+Number(f[12]))*10, 'rss', r0, '->', rss())
  if (process.env.PROF) console.log(readFileSync(`/proc/${child.pid}/smaps_rollup`,'utf8').split('\n').slice(1,12).join(' | '))
  child.kill(); await new Promise(r=>child.once('exit',r))
}
await opened.close(); stub.close(); process.exit()
