import { realpath } from 'node:fs/promises'
import { relative } from 'node:path'
import { build, type Metafile } from 'esbuild'

export type Bundle = {
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Names of the files that a page fetches before anything is opened; the first is its script. */
  readonly first: readonly string[]
  /** Those, and all that it can fetch on demand. */
  readonly all: readonly string[]
  /** Those that opening fetches, if known. */
  readonly opened?: readonly string[]
}

type Source = { readonly program: string; readonly folder: string; readonly idle?: RegExp }

/** A program as a page ships it: ESM in chunks, minified, with its styles and without React. */
export async function bundleProgram({ program, folder, idle }: Source): Promise<Bundle> {
  const workingDir = await realpath(folder)
  const { metafile, outputFiles } = await build({
    stdin: { contents: program, resolveDir: workingDir, loader: 'tsx' },
    absWorkingDir: workingDir,
    outdir: 'page',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    external: ['react', 'react-dom', 'react-dom/client', 'react/jsx-runtime'],
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  })
  const files = outputFiles.map(
    ({ path, contents }) => [relative(workingDir, path), contents] as const,
  )
  const { outputs } = metafile
  return {
    files: new Map(files),
    first: reachable(outputs, () => false),
    all: reachable(outputs, () => true),
    ...(idle && {
      opened: reachable(outputs, ({ entryPoint = '' }) => !idle.test(`/${entryPoint}`)),
    }),
  }
}

type Outputs = Metafile['outputs']

/** From the page's script over its static imports and styles, and those imports on demand that are `fetched`. */
function reachable(
  outputs: Outputs,
  fetched: (output: Outputs[string]) => boolean,
): readonly string[] {
  const result = new Set<string>()
  const visit = (name: string) => {
    const output = outputs[name]
    if (!output || result.has(name)) return
    result.add(name)
    if (output.cssBundle) visit(output.cssBundle)
    for (const { path, kind } of output.imports) {
      const target = outputs[path]
      if (target && (kind !== 'dynamic-import' || fetched(target))) visit(path)
    }
  }
  const [entry] =
    Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === '<stdin>') ?? []
  if (!entry) throw new Error('esbuild made no script for the page.')
  visit(entry)
  return [...result]
}
