import { fileURLToPath } from 'node:url'
import { fetchExecutable } from '../../../scripts/fetch/fetchExecutable.ts'
import { fetchPackages } from '../../../scripts/fetch/fetchPackages.ts'
import type { Bundles } from './bundleAgents.ts'

export type RuntimeName =
  | 'Node 20'
  | 'Node 22'
  | 'Node 24'
  | 'Bun'
  | 'Deno'
  | 'workerd'
  | 'edge-runtime'

export type Runtime = {
  readonly name: RuntimeName
  /** Whether it ends by itself when the calls are done, or serves until it is ended. */
  readonly kind: 'program' | 'server'
  /** Path of its program; the first call fetches it. */
  readonly executable: () => Promise<string>
  /** Output on stderr that is not an error. */
  readonly noise?: string
  readonly args: (bundles: Bundles, control: string) => readonly string[]
}

const node = {
  kind: 'program',
  args: ({ program }, control) => [program, control],
} as const satisfies Partial<Runtime>

/** The Node.js that the workspace runs on. */
const currentNode = async () => process.execPath
const edgeHost = fileURLToPath(new URL('./agent/edgeHost.ts', import.meta.url))

export const runtimes: readonly Runtime[] = [
  { ...node, name: 'Node 20', executable: () => fetchExecutable('node-20', 'bin/node') },
  { ...node, name: 'Node 22', executable: () => fetchExecutable('node-22', 'bin/node') },
  { ...node, name: 'Node 24', executable: currentNode },
  {
    name: 'Bun',
    kind: 'program',
    executable: () => fetchExecutable('bun', 'bin/bun'),
    noise: 'Decompression error: ZlibError',
    args: ({ program }, control) => ['--no-install', program, control],
  },
  {
    name: 'Deno',
    kind: 'program',
    executable: () => fetchExecutable('deno', 'deno'),
    args: ({ program }, control) => [
      ...['run', '--quiet', '--no-prompt', '--no-lock', '--no-remote'],
      ...['--node-modules-dir=manual', '--allow-read', '--allow-net=127.0.0.1'],
      ...[program, control],
    ],
  },
  {
    name: 'workerd',
    kind: 'server',
    executable: () => fetchExecutable('workerd', 'bin/workerd'),
    args: ({ worker }) => ['serve', worker, '--control-fd=3'],
  },
  {
    name: 'edge-runtime',
    kind: 'program',
    // Its host loads the package, and gets too little of the environment to fetch it.
    async executable() {
      await fetchPackages('edge-runtime')
      return process.execPath
    },
    args: ({ edge }, control) => [edgeHost, edge, control],
  },
]
