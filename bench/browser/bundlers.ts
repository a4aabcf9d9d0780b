import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fetchPackages } from '../../scripts/fetch/fetchPackages.ts'
import { ours } from './checkouts.ts'
import { gzipped } from './weigh.ts'

/** Bytes after `gzip -9` that a bundler makes of a page, each file for itself. */
export type Shipped = {
  /** Before the checkout is opened, more than a page without it. */
  readonly first: number
  /** The same, more than a page without it that loads another module on demand. */
  readonly sharedBytes: number
  /** `first`, and what opening and paying in English fetch. */
  readonly all: number
}

/** The page's button, with the checkout behind it; with nothing; and with another module behind it. */
const onClick = (run: string) => `document.querySelector('#pay').addEventListener('click', ${run})`
const programs = {
  checkout: `import { openServiceModal } from '@payment-intents/browser'
    ${onClick("({ target }) => openServiceModal({ clientSecret: target.dataset.clientSecret, merchantName: 'Kiosk', baseUrl: 'https://pay.example.com' })")}`,
  empty: onClick('({ target }) => console.log(target.dataset.clientSecret)'),
  onDemand: onClick("() => import('./other.js')"),
}

/** Files of a built page: those that it loads at once, and all. */
type Built = { first: readonly string[]; all: readonly string[] }
type Build = (name: keyof typeof programs, folder: string) => Promise<Built>

/** The bytes of a page with the checkout, bundled by the newest Vite and webpack with default settings. */
export async function weighBundlers(): Promise<Readonly<Record<string, Shipped>>> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-bundled-'))
  try {
    await symlink(join(ours.folder, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'other.js'), 'export const other = 1')
    for (const [name, program] of Object.entries(programs)) {
      await writeFile(join(folder, `${name}.js`), program)
      await writeFile(
        join(folder, `${name}.html`),
        `<script type="module" src="./${name}.js"></script>`,
      )
    }
    return {
      Vite: await weigh(await openVite(), folder),
      webpack: await weigh(await openWebpack(), folder),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function weigh(build: Build, folder: string): Promise<Shipped> {
  const checkout = await build('checkout', folder)
  const [empty, onDemand] = [await build('empty', folder), await build('onDemand', folder)]
  const nothing = await sum(empty.first)
  const first = await sum(checkout.first)
  return {
    first: first - nothing,
    sharedBytes: first - (await sum(onDemand.first)),
    all: (await sum([...checkout.first, ...(await needed(checkout))])) - nothing,
  }
}

/** The chunks loaded on demand that paying in English with a wallet needs: no other languages, nor the QR encoder. */
async function needed({ first, all }: Built): Promise<readonly string[]> {
  const rest = all.filter((file) => !first.includes(file))
  const contents = await Promise.all(rest.map((file) => readFile(file, 'utf8')))
  return rest.filter((_, index) => contents[index]?.includes('wallet_switchEthereumChain'))
}

async function sum(files: readonly string[]): Promise<number> {
  const contents = await Promise.all(files.map((file) => readFile(file)))
  return contents.reduce((bytes, content) => bytes + gzipped(content), 0)
}

async function openVite(): Promise<Build> {
  const { build } = await load<{ build: (config: object) => Promise<unknown> }>('vite')
  return async (name, root) => {
    const outDir = join(root, `vite-${name}`)
    const rollupOptions = { input: join(root, `${name}.html`) }
    await build({ root, logLevel: 'silent', build: { outDir, rollupOptions } })
    const html = await readFile(join(outDir, `${name}.html`), 'utf8')
    const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
      ([, path]) => path ?? '',
    )
    return {
      first: first.map((path) => join(outDir, path)),
      all: await scripts(join(outDir, 'assets')),
    }
  }
}

async function openWebpack(): Promise<Build> {
  type Stats = { hasErrors(): boolean }
  type Run = (options: object, done: (error: unknown, stats: Stats) => void) => void
  const { default: webpack } = await load<{ default: Run }>('webpack')
  return async (name, context) => {
    const path = join(context, `webpack-${name}`)
    const options = { mode: 'production', context, entry: `./${name}.js`, output: { path } }
    await new Promise<void>((resolve, reject) => {
      webpack(options, (error, stats) =>
        error || stats.hasErrors() ? reject(error ?? new Error(String(stats))) : resolve(),
      )
    })
    return { first: [join(path, 'main.js')], all: await scripts(path) }
  }
}

async function load<Exports>(name: string): Promise<Exports> {
  const folder = await fetchPackages('bundlers')
  const { resolve } = createRequire(join(folder, 'package.json'))
  return import(pathToFileURL(resolve(name)).href)
}

async function scripts(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  return names.filter((name) => name.endsWith('.js')).map((name) => join(folder, name))
}
