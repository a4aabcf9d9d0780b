import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Bundles } from './bundle.ts'

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
  /** Of npm, the one with the executable first. */
  readonly packages: readonly [string, ...string[]]
  /** Within its package. */
  readonly executable: string
  /** What it writes to stderr by itself. */
  readonly noise?: string
  readonly args: (bundles: Bundles, control: string) => readonly string[]
}

const node = {
  kind: 'program',
  executable: 'bin/node',
  args: ({ program }, control) => [program, control],
} as const satisfies Partial<Runtime>

const edgeHost = fileURLToPath(new URL('./agent/edgeHost.ts', import.meta.url))

export const runtimes: readonly Runtime[] = [
  { ...node, name: 'Node 20', packages: ['node-20'] },
  { ...node, name: 'Node 22', packages: ['node-22'] },
  { ...node, name: 'Node 24', packages: ['node'] },
  {
    name: 'Bun',
    kind: 'program',
    packages: ['bun'],
    executable: 'bin/bun.exe',
    noise: 'Decompression error: ZlibError',
    args: ({ program }, control) => ['--no-install', program, control],
  },
  {
    name: 'Deno',
    kind: 'program',
    packages: ['deno'],
    executable: process.platform === 'win32' ? 'deno.exe' : 'deno',
    args: ({ program }, control) => [
      ...['run', '--quiet', '--no-prompt', '--no-lock', '--no-remote'],
      ...['--node-modules-dir=manual', '--allow-read', '--allow-net=127.0.0.1'],
      ...[program, control],
    ],
  },
  {
    name: 'workerd',
    kind: 'server',
    packages: ['workerd'],
    executable: 'bin/workerd',
    args: ({ worker }) => ['serve', worker, '--control-fd=3'],
  },
  {
    name: 'edge-runtime',
    kind: 'program',
    packages: ['node', 'edge-runtime'],
    executable: 'bin/node',
    args: ({ edge }, control) => [edgeHost, edge, control],
  },
]

/** Where its executable is, or why it cannot run on this machine. */
export async function findExecutable(
  runtime: Runtime,
): Promise<
  | { readonly type: 'found'; readonly path: string }
  | { readonly type: 'missing'; readonly why: string }
> {
  const { resolve } = createRequire(import.meta.url)
  try {
    const [folder = ''] = runtime.packages.map((name) => dirname(resolve(`${name}/package.json`)))
    const path = join(folder, runtime.executable)
    await promisify(execFile)(path, ['--version'])
    return { type: 'found', path }
  } catch (error) {
    const [why = ''] = (error as Error).message.split('\n')
    return { type: 'missing', why }
  }
}
