import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

/**
 * Writes the declarations of the package of the working folder: a file for each entry of `exports` that has a source, as
 * ES module and as CommonJS. The compiler that checks types emits them, from the entries and without checking again.
 */
type Manifest = {
  readonly exports: Record<string, string | { source?: string; import?: { types: string } }>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const cwd = process.cwd()
const workspace = join(import.meta.dirname, '..')
const tsc = join(workspace, 'node_modules/typescript/bin/tsc')
const manifest: Manifest = JSON.parse(await readFile('package.json', 'utf8'))
const entries = Object.values(manifest.exports).flatMap((target) => {
  const { source, import: module } = typeof target === 'string' ? {} : target
  return source && module ? [{ source, types: module.types }] : []
})
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
const emitted = await mkdtemp(join(tmpdir(), 'payment-intents-types-'))
try {
  await emit()
  for (const path of globSync('dist/**/*.d.{ts,cts}')) await rm(path)
  await write('ts')
  await write('cts')
} finally {
  await rm(emitted, { recursive: true })
}

async function emit(): Promise<void> {
  const tsconfig = join(emitted, 'tsconfig.json')
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
    ...{ rootDir: cwd, outDir: emitted, typeRoots: [join(workspace, 'node_modules/@types')] },
  }
  const files = entries.map(({ source }) => join(cwd, source))
  const settings = { extends: join(cwd, 'tsconfig.json'), compilerOptions, include: [], files }
  await writeFile(tsconfig, JSON.stringify(settings))
  await promisify(execFile)(process.execPath, [tsc, '-p', tsconfig, '--singleThreaded']).catch(
    ({ message, stdout }) => Promise.reject(new Error(`${message}\n${stdout}`)),
  )
}

/** Declarations that several entries share are in a file of their own. */
async function write(extension: 'ts' | 'cts'): Promise<void> {
  const input = entries.map(({ source, types }) => [
    relative('dist', types).replace(/\.d\.ts$/, ''),
    join(emitted, source.replace(/\.tsx?$/, '.d.ts')),
  ])
  const bundle = await rolldown({
    input: Object.fromEntries(input),
    external: /^[^./]/,
    plugins: [dts({ dtsInput: true, generator: 'oxc', tsconfig: false, emitDtsOnly: true })],
  })
  const { output } = await bundle.write({
    dir: 'dist',
    entryFileNames: `[name].d.${extension}`,
    chunkFileNames: `[name]-[hash].d.${extension}`,
  })
  await bundle.close()
  for (const { fileName } of output) await checkImports(join('dist', fileName))
}

/** @throws Error if types come from a package that is not installed with this package */
async function checkImports(path: string): Promise<void> {
  const code = (await readFile(path, 'utf8')).replaceAll(/\/\*.*?\*\//gs, '')
  const specifiers = code.matchAll(/(?:from |import\(?)\s*(["'])(.+?)\1/g)
  for (const [, , specifier = ''] of specifiers) {
    const [name = ''] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? []
    if (!/^\.|^node:/.test(specifier) && !installed.includes(name)) {
      throw new Error(`${path} needs "${name}", which is not a dependency of the package.`)
    }
  }
}
