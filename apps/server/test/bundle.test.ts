import { execFile } from 'node:child_process'
import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { separateDatabase, startServer } from './support/server/serverProcess.ts'

const server = join(import.meta.dirname, '..')
/** A copy of the published bundle, in a place where it finds its dependencies. */
const folder = join(server, 'node_modules/.cache/published-bundle/dist')
const node = promisify(execFile)
/** Files that start a server or a command. */
const starts = /^(server|main-.*|cli-.*)\.js$/

/** Makes a process print the packages that it has loaded when it ends. */
const printsLoaded = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module'
  const name = (path) => path.split('node_modules/').at(-1).split('/')[0]
  process.on('exit', () => {
    console.error('loaded', ...new Set(Object.keys(module._cache).map(name)))
  })
`)}`

beforeAll(async () => {
  await node(process.execPath, ['build.ts', folder], { cwd: server })
  await copyFile(join(server, 'package.json'), join(folder, '../package.json'))
})

test('each file of the bundle that is loaded later can be loaded', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !starts.test(name))
  expect(files.length).toBeGreaterThan(5)
  const imports = files.map((file) => `await import(${JSON.stringify(join(folder, file))})`)
  // Use Node.js itself: in vitest, `require` would exist in every file.
  const script = ['--input-type=module', '--eval', imports.join('\n')]
  await expect(node(process.execPath, script)).resolves.toBeDefined()
})

test('a server loads only the packages that its requests need', async () => {
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: 'http://127.0.0.1:9' }
  const published = join(folder, 'server.js')
  const started = await startServer({ ...env, NODE_OPTIONS: `--import ${printsLoaded}` }, published)
  await started.end('SIGTERM')
  const [loaded = ''] = /^loaded .*$/m.exec(started.output()) ?? []
  const packages = loaded.split(' ')
  expect(packages).toContain('fastify')
  for (const name of ['ajv', 'undici']) expect(packages).not.toContain(name)
})
