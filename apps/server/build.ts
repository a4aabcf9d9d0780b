import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build, type Metafile } from 'esbuild'

/**
 * Writes `dist/`, the published folder, or the named folder. Dependencies stay separate packages; those under
 * `devDependencies` in package.json are bundled: the rules, and the few functions used of viem. With `--whole`
 * dependencies are bundled too: it starts with less CPU, and tests start hundreds.
 */
const folder = import.meta.dirname
const [out = 'dist', complete] = process.argv.slice(2)
const outdir = resolve(folder, out)
const { dependencies, optionalDependencies } = JSON.parse(
  await readFile(join(folder, 'package.json'), 'utf8'),
)
await rm(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: { server: 'src/bin.ts' },
  outdir,
  bundle: true,
  // A command does not load the server.
  splitting: true,
  format: 'esm',
  platform: 'node',
  // OpenTelemetry's CommonJS files would be bundled whole.
  mainFields: ['module', 'main'],
  target: 'node20',
  conditions: ['source'],
  // Bundled CommonJS code requires the modules of Node.js in this way.
  banner: {
    js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);",
  },
  external: [
    // undici is imported when it is needed: bundled, a CommonJS package has no names to import then.
    ...(complete ? ['pg-native', 'undici'] : Object.keys(dependencies)),
    ...Object.keys(optionalDependencies),
  ],
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
})
await writeFile(join(outdir, 'bundled.json'), JSON.stringify(await bundledOf(metafile), null, 2))
await cp(join(folder, '../dashboard/dist'), join(outdir, 'dashboard'), { recursive: true })
await cp(join(folder, 'src/store/migrations'), join(outdir, 'migrations'), { recursive: true })

/** The packages whose files are in the bundle: npm does not list them, so the package does. */
async function bundledOf({ outputs }: Metafile) {
  const paths = Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => inputs[path]?.bytesInOutput),
  )
  const folders = new Set(
    paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  )
  const packages = await Promise.all(
    [...folders].map(async (path) => {
      const manifest = JSON.parse(await readFile(join(folder, path, 'package.json'), 'utf8'))
      const { name, version, license } = manifest
      return [`${name}@${version}`, { name, version, license }] as const
    }),
  )
  // pnpm has a folder for each set of peers.
  return [...new Map(packages.sort(([a], [b]) => a.localeCompare(b))).values()]
}
