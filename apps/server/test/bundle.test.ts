import { execFile } from 'node:child_process'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const server = join(import.meta.dirname, '..')
/** As it is published, where its dependencies are found. */
const folder = join(server, 'node_modules/.cache/published-bundle')
const node = promisify(execFile)
/** These start a server or a command. */
const starts = /^(server|main-.*|cli-.*)\.js$/

test('each file of the bundle that is loaded later can be loaded', async () => {
  await node(process.execPath, ['build.ts', folder], { cwd: server })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !starts.test(name))
  expect(files.length).toBeGreaterThan(5)
  const imports = files.map((file) => `await import(${JSON.stringify(join(folder, file))})`)
  // By Node.js itself: here, `require` would be there for all.
  const script = ['--input-type=module', '--eval', imports.join('\n')]
  await expect(node(process.execPath, script)).resolves.toBeDefined()
})
