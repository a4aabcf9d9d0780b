import cluster from 'node:cluster'
import { ConfigError, readConfig } from './config.ts'
import { createLog } from './lib/createLog.ts'
import { StartError } from './lib/startError.ts'
import { EmbeddedError } from './ops/postgres/embeddedError.ts'
import { openBackgroundPool } from './ops/workers/backgroundPool.ts'
import { joinWorkers } from './ops/workers/joinWorkers.ts'
import { version } from './version.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  if (cluster.isPrimary) log.info({ version, node: process.versions.node }, 'starting')
  if (config.workers > 1 && cluster.isPrimary) {
    const { runWorkers } = await import('./ops/workers/runWorkers.ts')
    process.exit(await runWorkers(config, log))
  }
  const worker = cluster.isWorker ? await joinWorkers() : null
  // The embedded PostgreSQL starts while the other modules load.
  const [opened, { serve }] = await Promise.all([
    openBackgroundPool(config, worker, (sentence) => log.warn(sentence)),
    import('./serve.ts'),
  ])
  await serve(config, worker ? log.child({ worker: worker.number }) : log, opened, worker)
}

main().catch((error) => {
  const commands =
    error instanceof ConfigError || error instanceof EmbeddedError || error instanceof StartError
  console.error(commands ? error.message : error)
  process.exit(1)
})
