import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pnpm } from './fetch/pnpm.ts'

/**
 * Prints what is in the server's package and what npm installs with it, as a CycloneDX bill of materials: `sbom.ts`. npm
 * knows the dependencies, and the bundle which packages it holds; it has to be built.
 */
const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const server = 'apps/server'
/** The server's dependencies in the workspace. */
const packages = [server, 'packages/contract', 'packages/browser']

type Component = {
  name: string
  version: string
  externalReferences?: { url: string }[]
  [field: string]: unknown
}
type Bom = {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
type Bundled = { name: string; version: string; license?: string }

const folder = await mkdtemp(join(tmpdir(), 'payment-intents-sbom-'))
try {
  const dependencies = await Promise.all(
    packages.map(async (path, index) => {
      const tarball = `${index}.tgz`
      await pnpm(['pack', '--out', join(folder, tarball)], join(root, path))
      return [(await readJson(join(root, path, 'package.json'))).name, `file:${tarball}`]
    }),
  )
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'sbom',
      version: '0.0.0',
      dependencies: Object.fromEntries(dependencies),
    }),
  )
  // Packages of every platform, not only those that this platform would install.
  await npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund')
  const bom: Bom = JSON.parse(
    await npm('sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'),
  )
  console.log(
    JSON.stringify(ofServer(bom, await readJson(join(root, server, 'dist/bundled.json'))), null, 2),
  )
} finally {
  await rm(folder, { recursive: true })
}

/** About the server's package, rather than the folder it was installed in. */
function ofServer(bom: Bom, bundled: readonly Bundled[]): Bom {
  const component = bom.components.find(({ name }) => name === '@payment-intents/server')
  if (!component) throw new Error('npm lists no @payment-intents/server.')
  const around = refOf(bom.metadata.component)
  const componentRef = refOf(component)
  const inside = bundled
    .filter(({ name }) => !name.startsWith('@payment-intents/'))
    .map(toComponent)
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...published(component), type: 'application' } },
    components: [...bom.components.filter((item) => item !== component).map(published), ...inside],
    dependencies: bom.dependencies
      .filter(({ ref }) => ref !== around)
      .map(({ ref, dependsOn }) => {
        return {
          ref,
          dependsOn: ref === componentRef ? [...dependsOn, ...inside.map(refOf)] : dependsOn,
        }
      }),
  }
}

/** Without where the tarballs of this workspace were. */
function published(component: Component): Component {
  const { externalReferences = [] } = component
  return {
    ...component,
    externalReferences: externalReferences.filter(({ url }) => !url.startsWith('file:')),
  }
}

function toComponent({ name, version, license }: Bundled): Component {
  return {
    'bom-ref': `${name}@${version}#bundled`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    // https://cyclonedx.github.io/cyclonedx-property-taxonomy/cdx/npm.html
    properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
    ...(license ? { licenses: [{ license: { id: license } }] } : {}),
  }
}

function refOf(component: Component): string {
  return String(component['bom-ref'])
}

async function npm(...args: string[]): Promise<string> {
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 }
  const { stdout } = await run('npm', args, options)
  return stdout
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, 'utf8'))
}
