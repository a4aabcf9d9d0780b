import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Every `ts` block of the README and of the documentation in the sources, by a file name that tells its place. */
function examples(): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of ['README.md', ...globSync('src/*.ts', { cwd: root })]) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, file), 'utf8').replaceAll(/^ *\* ?/gm, '')
    for (const [index, [, code = '']] of [...text.matchAll(/^```ts\n(.*?)^```/gms)].entries()) {
      found.set(join(root, `${file.replaceAll(/\W/g, '-')}-${index}.ts`), code)
    }
  }
  return found
}

test('every example type-checks', () => {
  const files = examples()
  expect(files.size).toBeGreaterThan(6)
  const { config } = ts.readConfigFile(join(root, '../../tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, types: ['node'], noUnusedLocals: false },
    root,
  )
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name) ?? readFile(name)
  host.getSourceFile = (name, version) => {
    const code = files.get(name)
    return code === undefined
      ? getSourceFile(name, version)
      : ts.createSourceFile(name, code, version, true)
  }
  const program = ts.createProgram([...files.keys()], options, host)
  const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const name = file?.fileName.slice(root.length + 1)
    return `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
  expect(faults).toEqual([])
})
