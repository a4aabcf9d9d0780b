import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Every `ts` block of the README and of the documentation in the sources, by a file name that tells its place. */
const examples = new Map(
  ['README.md', ...globSync('src/**/*.ts', { cwd: root })]
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8').replaceAll(/^ *\* ?/gm, '')
      return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(
        ([, code = ''], index) => [`${file.replaceAll(/\W/g, '-')}-${index}.ts`, code] as const,
      )
    }),
)

test('every example type-checks', () => {
  const files = new Map([...examples].map(([name, code]) => [join(root, name), code]))
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
}, 60_000)

/** Those of a wallet run in a page: browser.test.ts has them. */
const forNode = [...examples].filter(([, code]) => !code.includes('/wallet'))

describe('an example says what it does', () => {
  test.each(forNode)('%s', async (_, code) => {
    const flags = ['--input-type=module-typescript', '--disable-warning=ExperimentalWarning']
    const run = promisify(execFile)(process.execPath, [...flags, '--eval', code], { cwd: root })
    const { stdout } = await run
    // What follows `console.log(…) //`, or stands alone below it.
    const said = [...code.matchAll(/^console\.log\(.*\)(?:\n| )\/\/ (.*)$/gm)].map(
      ([, text]) => text,
    )
    expect(stdout.split('\n').filter(Boolean)).toEqual(said)
  })
})
