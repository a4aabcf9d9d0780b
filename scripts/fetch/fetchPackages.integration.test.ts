import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Listening, listenLocally } from '../../tests/support/listenLocally.ts'
import { newFolder } from '../../tests/support/newFolder.ts'
import { isFull } from '../../tests/support/tier.ts'
import { fetchPackages } from './fetchPackages.ts'

const here = { os: [process.platform], cpu: [process.arch] }
const elsewhere = { os: ['aix'], cpu: ['ppc64'] }

let folder: string
let registry: Listening
let requests: string[]
/** The registry's responses, by path; all else is 500. */
let responses: Map<string, string | Buffer>

beforeEach(async () => {
  folder = newFolder()
  requests = []
  responses = new Map()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    requests.push(path)
    const body = responses.get(path)
    response.writeHead(body === undefined ? 500 : 200).end(body)
  })
  registry = await listenLocally(server)
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'))
  vi.stubEnv('pnpm_config_registry', registryUrl())
  vi.stubEnv('pnpm_config_store_dir', join(folder, 'store'))
  vi.stubEnv('pnpm_config_cache_dir', join(folder, 'metadata'))
  vi.stubEnv('pnpm_config_fetch_retry_mintimeout', '1')
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await registry.close()
})

function registryUrl(): string {
  return `${registry.url}/`
}

/** A set whose only package the registry has. */
async function makeSet(kind: 'dependencies' | 'optionalDependencies', platform: object = {}) {
  const manifest = { name: 'fetched', version: '1.0.0', ...platform }
  const source = join(folder, 'set')
  await mkdir(join(folder, 'package'), { recursive: true })
  await mkdir(source)
  await writeFile(join(folder, 'package/package.json'), JSON.stringify(manifest))
  await writeFile(join(folder, 'package/content'), randomUUID())
  await promisify(execFile)('tar', ['-czf', 'fetched.tgz', 'package'], { cwd: folder })
  const tarball = await readFile(join(folder, 'fetched.tgz'))
  const integrity = `sha512-${Buffer.from(await crypto.subtle.digest('SHA-512', tarball)).toString('base64')}`
  responses.set('/fetched/-/fetched-1.0.0.tgz', tarball)
  const set = { private: true, [kind]: { fetched: '1.0.0' } }
  await writeFile(join(source, 'package.json'), JSON.stringify(set))
  // A YAML file may be JSON.
  const lockfile = {
    lockfileVersion: '9.0',
    importers: { '.': { [kind]: { fetched: { specifier: '1.0.0', version: '1.0.0' } } } },
    packages: { 'fetched@1.0.0': { resolution: { integrity }, ...platform } },
    snapshots: { 'fetched@1.0.0': { optional: kind === 'optionalDependencies' } },
  }
  await writeFile(join(source, 'pnpm-lock.yaml'), JSON.stringify(lockfile))
  return source
}

function cached(): Promise<string[]> {
  return readdir(join(folder, 'cache/payment-intents'))
}

test('is fetched once, by two at once too, and is found by all that come later', async () => {
  const source = await makeSet('dependencies')
  const [first, second] = await Promise.all([
    fetchPackages('tool', source),
    fetchPackages('tool', source),
  ])
  expect(second).toBe(first)
  expect(await readdir(join(first, 'node_modules/fetched'))).toContain('content')
  expect(await cached()).toHaveLength(1)
  const before = requests.length
  expect(await fetchPackages('tool', source)).toBe(first)
  expect(requests).toHaveLength(before)
})

const kinds = ['optionalDependencies', 'dependencies'] as const

// The tests below cover packages that pnpm refuses by itself; it omits a missing optional package.
test.each(isFull ? kinds : kinds.slice(0, 1))(
  'says what to do when the registry fails, leaves nothing, and works when it works again: %s',
  async (kind) => {
    const source = await makeSet(kind, here)
    const tarball = responses.get('/fetched/-/fetched-1.0.0.tgz') ?? ''
    responses.delete('/fetched/-/fetched-1.0.0.tgz')
    const failing = fetchPackages('tool', source)
    await expect(failing).rejects.toThrow(/^"tool" could not be fetched\..*npm ping.*500/s)
    expect(await cached()).toEqual([])
    responses.set('/fetched/-/fetched-1.0.0.tgz', tarball)
    await fetchPackages('tool', source)
    expect(await cached()).toHaveLength(1)
  },
)

test('is refused when it is not what the lockfile has', async () => {
  const source = await makeSet('dependencies')
  await writeFile(join(folder, 'package/content'), 'another')
  await promisify(execFile)('tar', ['-czf', 'fetched.tgz', 'package'], { cwd: folder })
  responses.set('/fetched/-/fetched-1.0.0.tgz', await readFile(join(folder, 'fetched.tgz')))
  await expect(fetchPackages('tool', source)).rejects.toThrow(/integrity/i)
  expect(await cached()).toEqual([])
})

test('names the platform that no package is for', async () => {
  const source = await makeSet('optionalDependencies', elsewhere)
  await expect(fetchPackages('tool', source)).rejects.toThrow(
    `There is no "tool" for ${process.platform}-${process.arch} among fetched.`,
  )
  expect(await cached()).toEqual([])
})
