import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { startStack } from 'shop/test/startStack.ts'
import type { TestProject } from 'vitest/node'
import { buildSite } from '../../../../scripts/docs/buildSite.ts'
import { pnpm } from '../../../../scripts/fetch/pnpm.ts'
import type {} from '../../../support/startPostgres.ts'
import { type Packed, startRegistry } from './registry.ts'
import { run } from './run.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of the projects, installed; each has the name of its fixture. */
    projects: string
    /** Where the packed packages can be installed from by name. */
    registry: string
    /** The real service, the key of a merchant with a wallet on its development chain, and that chain. */
    service: { url: string; apiKey: string; merchantId: string; rpcUrl: string }
    /** Where a shop can have a database of its own, next to the service's. */
    shopDatabase: string
  }
}

const workspace = join(import.meta.dirname, '../../../..')
const fixtures = join(import.meta.dirname, '../../fixtures')

/**
 * Packs the packages as they would be published, installs them into projects outside this workspace, and starts a real
 * service for them.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-consumers-'))
  const isFull = project.vitest.config.mode === 'full'
  // As it is published, the server has the documentation in its package.
  const docs = { out: join(workspace, 'apps/server/dist/docs'), base: '/docs/' }
  if (isFull) await buildSite(docs)
  const registry = await startRegistry(await pack(join(folder, 'tarballs')))
  const projects = join(folder, 'projects')
  const { clusterUrl } = project.getProvidedContext()
  const [stack] = await Promise.all([
    startStack({ clusterUrl }),
    install(projects, registry.url, isFull ? [] : ['next']),
  ])
  project.provide('projects', projects)
  project.provide('registry', registry.url)
  project.provide('service', {
    url: stack.apiUrl,
    apiKey: stack.apiKey,
    merchantId: stack.merchantId,
    rpcUrl: stack.chain.url,
  })
  project.provide('shopDatabase', clusterUrl.replace(/postgres$/, 'shop'))
  return async () => {
    registry.close()
    await stack.stop()
    await rm(folder, { recursive: true })
  }
}

/** Every public package; two of them as the next version, too, and the SDKs as their first release, which the examples name. */
async function pack(folder: string): Promise<Packed[]> {
  const filter = ['--filter', './packages/*', '--filter', '@payment-intents/server']
  const options = ['--pack-destination', folder, '--json']
  const { stdout } = await pnpm([...filter, 'pack', ...options], workspace)
  const packed: { filename: string }[] = JSON.parse(stdout)
  const packages = await Promise.all(packed.map(({ filename }) => read(filename)))
  const upgraded = packages.filter(({ manifest }) => /\/(node|server)$/.test(manifest.name))
  const unreleased = packages.filter(
    ({ manifest: { name, version } }) => version === '0.0.0' && !name.endsWith('/server'),
  )
  const others = [
    ...upgraded.map((packed) => asVersion(packed, '999.0.0')),
    ...unreleased.map((packed) => asVersion(withDependencies(packed, '0.1.0'), '0.1.0')),
  ]
  return [...packages, ...(await Promise.all(others))]
}

/** Released together, the packages depend on each other's same version. */
function withDependencies({ manifest, tarball }: Packed, version: string): Packed {
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    name.startsWith('@payment-intents/') ? version : range,
  ])
  return { manifest: { ...manifest, dependencies: Object.fromEntries(dependencies) }, tarball }
}

async function read(tarball: string): Promise<Packed> {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json'])
  return { manifest: JSON.parse(stdout), tarball }
}

/** The same files under another version: a dependency's dependency may bring it, or an upgrade. */
async function asVersion({ manifest, tarball }: Packed, version: string): Promise<Packed> {
  const unpacked = `${tarball}.${version}`
  await mkdir(unpacked)
  await run('tar', ['-xzf', tarball, '-C', unpacked])
  const next = { ...manifest, version }
  await writeFile(join(unpacked, 'package/package.json'), JSON.stringify(next))
  await run('tar', ['-czf', `${unpacked}.tgz`, '-C', unpacked, 'package'])
  return { manifest: next, tarball: `${unpacked}.tgz` }
}

/** Projects with their dependencies, in one install. */
async function install(
  projects: string,
  registry: string,
  without: readonly string[],
): Promise<void> {
  const filter = (path: string) => !without.includes(basename(path))
  await cp(fixtures, projects, { recursive: true, filter })
  // The same sources as CommonJS.
  await cp(join(fixtures, 'backend'), join(projects, 'backend-cjs'), { recursive: true })
  const manifest = join(projects, 'backend-cjs/package.json')
  const source = JSON.parse(await readFile(manifest, 'utf8'))
  await writeFile(manifest, JSON.stringify({ ...source, type: 'commonjs', name: 'backend-cjs' }))

  await writeFile(join(projects, 'package.json'), '{ "private": true }')
  await writeFile(join(projects, '.npmrc'), `@payment-intents:registry=${registry}\n`)
  const [catalog] = /^catalog:\n(?: .*\n)+/m.exec(
    await readFile(join(workspace, 'pnpm-workspace.yaml'), 'utf8'),
  ) ?? ['']
  const settings = [
    'packages: ["*"]',
    // A package finds only its declared dependencies.
    'hoist: false',
    // Next.js optimises images with it; there are none.
    'ignoredOptionalDependencies: [sharp]',
    'strictDepBuilds: false',
    catalog,
  ]
  await writeFile(join(projects, 'pnpm-workspace.yaml'), settings.join('\n'))
  await pnpm(['install', '--prefer-offline'], projects)
}
