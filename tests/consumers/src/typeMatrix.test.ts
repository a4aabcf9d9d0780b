import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { isFull } from '../../support/tier.ts'
import { compileWith } from './support/compile.ts'
import { type EntryPoint, entryPoints } from './support/entryPoints.ts'

const folder = join(inject('projects'), 'backend')
const entries = await entryPoints(folder)

/** `module` and `moduleResolution` of a project. */
const resolutions = {
  node16: ['--module', 'node16', '--moduleResolution', 'node16'],
  nodenext: ['--module', 'nodenext', '--moduleResolution', 'nodenext'],
  bundler: ['--module', 'preserve', '--moduleResolution', 'bundler'],
}

/** Imports an entry, and fails to compile if it or an export of it is `any`, as types are that were not found. */
function use(statement: string, name: string): string {
  const untyped = `0 extends 1 & typeof ${name} ? 'all' : { [Key in keyof typeof ${name}]: 0 extends 1 & (typeof ${name})[Key] ? Key : never }[keyof typeof ${name}]`
  return `${statement}\nexport const ${name}IsTyped: [${untyped}] extends [never] ? true : ${untyped} = true`
}

beforeAll(async () => {
  const names = entries.map(({ path }, index) => ({ path, name: `entry${index}` }))
  const esm = names.map(({ path, name }) => use(`import * as ${name} from '${path}'`, name))
  const cjs = names.map(({ path, name }) => use(`import ${name} = require('${path}')`, name))
  await writeFile(join(folder, 'matrix.mts'), esm.join('\n'))
  await writeFile(join(folder, 'matrix.cts'), cjs.join('\n'))
})

test('every published package with types has them for both module formats', () => {
  const packages = new Set(entries.map(({ path }) => path.split('/')[1]))
  expect([...packages].sort()).toEqual(['browser', 'contract', 'node', 'react', 'testing'])
  for (const { path, declarations } of entries) {
    // Those of the other format would compile as a bundler resolves modules, and describe another file.
    expect(declarations, path).toEqual({
      esm: expect.stringMatching(/\.d\.ts$/),
      cjs: expect.stringMatching(/\.d\.cts$/),
    })
  }
})

// The quick tier checks the same entries as a server resolves them in `backend.test.ts`; the JavaScript compilers take a
// quarter of a minute for each combination.
describe.each(isFull ? (['5.4', '5.9', '7'] as const) : (['7'] as const))(
  'TypeScript %s',
  (version) => {
    test.each(isFull ? (['node16', 'nodenext', 'bundler'] as const) : (['bundler'] as const))(
      '%s finds the types of every entry as ES module and as CommonJS',
      async (resolution) => {
        expect(await compileWith(version, folder, '--version')).toContain(`Version ${version}.`)
        const flags = ['-p', 'tsconfig.matrix.json', '--listFiles', ...resolutions[resolution]]
        const listed = await compileWith(version, folder, ...flags)
        const missing = (format: keyof EntryPoint['declarations']) => {
          const files = entries.map(({ declarations }) => declarations[format])
          return files.filter((file) => !listed.includes(`/${file}`))
        }
        expect({ esm: missing('esm'), cjs: missing('cjs') }).toEqual({ esm: [], cjs: [] })
      },
    )
  },
)
