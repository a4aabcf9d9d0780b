import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const dist = join(import.meta.dirname, '../dist')
/** These start a server or a command. */
const starts = /^(server|main-.*|cli-.*)\.js$/

test('each file of the bundle that is loaded later can be loaded', async () => {
  const files = (await readdir(dist)).filter((name) => name.endsWith('.js') && !starts.test(name))
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) {
    await expect(import(/* @vite-ignore */ join(dist, file)), file).resolves.toBeDefined()
  }
})
