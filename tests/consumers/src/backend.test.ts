import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { isFull } from '../../support/tier.ts'
import { compile } from './support/compile.ts'
import { entryPoints } from './support/entryPoints.ts'
import { run, runtimes } from './support/run.ts'

const projects = inject('projects')
const service = inject('service')
const env = { PAYMENT_INTENTS_API_KEY: service.apiKey, PAYMENT_INTENTS_BASE_URL: service.url }

/** A module that imports them all, and prints what each of them exports. */
async function writeEntries(project: string): Promise<string[]> {
  const paths = (await entryPoints(join(projects, project))).map(({ path }) => path)
  const lines = [
    ...paths.map((path, index) => `import * as entry${index} from '${path}'`),
    `const all = { ${paths.map((path, index) => `'${path}': entry${index}`).join(', ')} }`,
    'const names = Object.entries(all).map(([path, entry]) => [path, Object.keys(entry).sort()])',
    'console.log(JSON.stringify(Object.fromEntries(names)))',
  ]
  await writeFile(join(projects, project, 'entries.ts'), `${lines.join('\n')}\n`)
  return paths
}

/**
 * Server-only entries compile without the types of a browser, every entry with them. The quick tier checks the first as ES module, and the
 * second as CommonJS, which finds each package's second declarations; `lint:package` resolves both.
 */
async function compileBoth(project: string) {
  const cwd = join(projects, project)
  const isChecked = (type: 'ESM' | 'CommonJS') =>
    isFull || (type === 'CommonJS') === (project === 'backend-cjs') ? [] : ['--noCheck']
  await compile(cwd, '-p', 'tsconfig.json', ...isChecked('ESM'))
  await compile(cwd, '-p', 'tsconfig.entries.json', ...isChecked('CommonJS'))
}

describe.each([
  ['ESM', 'backend'],
  ['CommonJS', 'backend-cjs'],
])('TypeScript as %s', (_, project) => {
  test('type-checks, and runs where the packages promise to', async () => {
    const paths = await writeEntries(project)
    expect(paths).toContain('@payment-intents/contract/chains')
    await compileBoth(project)
    // Each on both in the full tier. Modules also run on Node 20 as the installed server.
    const [newest, oldest] = runtimes
    const usual = project === 'backend' ? newest : oldest
    for (const [runtime, find] of isFull ? runtimes : [usual]) {
      const node = await find()
      // Node 20.0 to 20.18 cannot require an ES module: no CommonJS entry may need it.
      const flags = ['--no-experimental-require-module', '--no-warnings']
      const start = (file: string) =>
        run(node, [...flags, join('out', file)], { cwd: join(projects, project), env })

      const entries = JSON.parse((await start('entries.js')).stdout)
      expect(Object.keys(entries), runtime).toEqual(paths)
      expect(entries, runtime).toMatchObject({
        '@payment-intents/browser': ['openServiceModal', 'preload'],
        '@payment-intents/react': ['useServiceModal'],
      })
      for (const path of paths) expect(entries[path], `${path}, ${runtime}`).not.toEqual([])

      expect(JSON.parse((await start('use.js')).stdout), runtime).toEqual({
        created: true,
        listed: true,
        refused: 'not_found',
        chainId: 84532,
        usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        hint: 401,
        checked: false,
      })
    }
  })
})
