import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const script = join(import.meta.dirname, 'checkBuilt.ts')
const manifests = globSync('{packages/*,apps/server}/package.json', { cwd: root })
const published: string[] = []
for (const path of manifests) {
  const { private: isPrivate } = JSON.parse(await readFile(join(root, path), 'utf8'))
  if (!isPrivate) published.push(dirname(path))
}

test.each(published)('%s is not packed without its build', async (folder) => {
  const { scripts, name } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))
  expect(scripts.prepack).toBe('node ../../scripts/checkBuilt.ts')
  const cwd = await mkdtemp(join(tmpdir(), 'payment-intents-unbuilt-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await cp(join(root, folder, 'package.json'), join(cwd, 'package.json'))
  const run = promisify(execFile)(process.execPath, [script], { cwd })
  await expect(run).rejects.toThrow(`${name} is not built: ./dist/`)
})
