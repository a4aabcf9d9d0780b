import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { serverFile } from './bundle.ts'

const folder = dirname(serverFile)
/** These start a server or a command. */
const starts = /^(server|main-.*|cli-.*)\.js$/

test('each file of the bundle that is loaded later can be loaded', async () => {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.js') && !starts.test(name))
  expect(files.length).toBeGreaterThan(5)
  const imports = files.map((file) => `await import(${JSON.stringify(join(folder, file))})`)
  // By Node.js itself: here, `require` would be there for all.
  const script = ['--input-type=module', '--eval', imports.join('\n')]
  await expect(promisify(execFile)(process.execPath, script)).resolves.toBeDefined()
})
