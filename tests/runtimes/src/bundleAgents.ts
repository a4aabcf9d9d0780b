import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Paths of the agent in the forms in which runtimes take a program. */
export type Bundles = {
  /** The client is imported as by any program: from its package, by the runtime's own rules. */
  readonly program: string
  /** One script, the client included, for edge-runtime. */
  readonly edge: string
  /** The configuration of a workerd that serves one module, the client included. */
  readonly worker: string
}

const agents = fileURLToPath(new URL('./agent/', import.meta.url))
const out = fileURLToPath(new URL('../dist/', import.meta.url))

const workerConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "agent", worker = (
      modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
      compatibilityDate = "2026-01-01",
      globalOutbound = "loopback"
    )),
    (name = "loopback", network = (allow = ["local"]))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "agent")]
);
`

/** Bundles the agent, and with it the client where a runtime loads no packages. */
export async function bundleAgents(): Promise<Bundles> {
  const common = { bundle: true, logLevel: 'warning', target: 'es2022' } as const
  const paths = {
    program: join(out, 'program.mjs'),
    edge: join(out, 'edge.js'),
    worker: join(out, 'worker.capnp'),
  }
  await Promise.all([
    build({
      ...common,
      entryPoints: [join(agents, 'process.ts')],
      outfile: paths.program,
      format: 'esm',
      platform: 'neutral',
      external: ['@payment-intents/*'],
    }),
    build({
      ...common,
      entryPoints: [join(agents, 'workerd.ts')],
      outfile: join(out, 'worker.mjs'),
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
    }),
    build({
      ...common,
      entryPoints: [join(agents, 'edge.ts')],
      outfile: paths.edge,
      format: 'iife',
      conditions: ['edge-light', 'browser'],
    }),
  ])
  writeFileSync(paths.worker, workerConfig)
  return paths
}
