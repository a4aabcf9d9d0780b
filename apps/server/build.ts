import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Writes `dist/`, which is what is published. Dependencies stay packages of their own; what package.json lists under
 * `devDependencies` is bundled: the rules, and the little that is used of viem.
 */
const folder = import.meta.dirname
const { dependencies, optionalDependencies } = JSON.parse(
  await readFile(join(folder, 'package.json'), 'utf8'),
)
await rm(join(folder, 'dist'), { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: { server: 'src/bin.ts' },
  outdir: 'dist',
  bundle: true,
  // A command does not load the server.
  splitting: true,
  format: 'esm',
  platform: 'node',
  // OpenTelemetry's CommonJS files would be bundled whole.
  mainFields: ['module', 'main'],
  target: 'node20',
  conditions: ['source'],
  // What is bundled of CommonJS asks for the modules of Node.js so.
  banner: {
    js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
  },
  external: [...Object.keys(dependencies), ...Object.keys(optionalDependencies)],
  legalComments: 'linked',
  logLevel: 'warning',
})
await cp(join(folder, 'src/db/migrations'), join(folder, 'dist/migrations'), { recursive: true })
