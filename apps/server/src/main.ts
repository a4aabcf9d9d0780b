import cluster from 'node:cluster'
import { type Logger, pino } from 'pino'
import { type Config, ConfigError, readConfig } from './config.ts'
import { EmbeddedError } from './postgres/failure.ts'
import { StartError } from './startError.ts'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel })
  if (cluster.isWorker) return serveAsWorker(config, log)
  if (config.workers === 1) return (await import('./serve.ts')).serve(config, log, null)
  const { runWorkers } = await import('./workers/runWorkers.ts')
  process.exit(await runWorkers(config, log))
}

async function serveAsWorker(config: Config, log: Logger): Promise<void> {
  const [{ joinWorkers }, { serve }] = await Promise.all([
    import('./workers/joinWorkers.ts'),
    import('./serve.ts'),
  ])
  const worker = await joinWorkers()
  await serve(config, log.child({ worker: worker.number }), worker)
}

main().catch((error) => {
  const known =
    error instanceof ConfigError || error instanceof EmbeddedError || error instanceof StartError
  console.error(known ? error.message : error)
  process.exit(1)
})
