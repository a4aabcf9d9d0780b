import cluster from 'node:cluster'
import { ConfigError, readConfig } from './config.ts'
import { createLog } from './createLog.ts'
import { openOwn } from './openOwn.ts'
import { EmbeddedError } from './postgres/failure.ts'
import { StartError } from './startError.ts'
import { version } from './version.ts'
import { joinWorkers } from './workers/joinWorkers.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  if (cluster.isPrimary) log.info({ version, node: process.versions.node }, 'starting')
  if (config.workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import('./workers/runWorkers.ts')
    process.exit(await runWorkers(config, log))
  }
  const worker = cluster.isWorker ? await joinWorkers() : null
  // The embedded PostgreSQL starts while the rest is loaded.
  const [opened, { serve }] = await Promise.all([
    openOwn(config, worker, (sentence) => log.warn(sentence)),
    import('./serve.ts'),
  ])
  await serve(config, worker ? log.child({ worker: worker.number }) : log, opened, worker)
}

main().catch((error) => {
  const known =
    error instanceof ConfigError || error instanceof EmbeddedError || error instanceof StartError
  console.error(known ? error.message : error)
  process.exit(1)
})
