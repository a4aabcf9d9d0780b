import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Writes `dist/`, which is what is published, or the folder that is given. Dependencies stay packages of their own; what package.json lists under
 * `devDependencies` is bundled: the rules, and the little that is used of viem.
 */
const folder = import.meta.dirname
const outdir = join(folder, process.argv[2] ?? 'dist')
const { dependencies, optionalDependencies } = JSON.parse(
  await readFile(join(folder, 'package.json'), 'utf8'),
)
await rm(outdir, { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: { server: 'src/bin.ts' },
  outdir,
  bundle: true,
  // A command does not load the server.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['source'],
  external: [...Object.keys(dependencies), ...Object.keys(optionalDependencies)],
  legalComments: 'linked',
  logLevel: 'warning',
})
await cp(join(folder, 'src/db/migrations'), join(outdir, 'migrations'), { recursive: true })
