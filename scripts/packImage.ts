import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pnpm } from './fetch/pnpm.ts'

/**
 * Packs the server, and the packages of the workspace that it depends on, for an image of this clone: `packImage.ts
 * [folder]`. The packages have to be built.
 */
const root = join(import.meta.dirname, '..')
const [to = join(root, 'deploy/packages')] = process.argv.slice(2)
const folder = resolve(to)

const earlier = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
await Promise.all(earlier.map((name) => rm(join(folder, name))))
const names = ['contract', 'browser', 'server'].map((name) => `@payment-intents/${name}`)
const filters = names.flatMap((name) => ['--filter', name])
await pnpm([...filters, 'pack', '--pack-destination', folder], root)
