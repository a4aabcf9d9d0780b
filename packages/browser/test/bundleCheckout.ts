import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import type { TestProject } from 'vitest/node'
import config, { pinLinkFile } from '../tsup.config.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of `script.js`, which a script tag loads, with its second file, `link.js`, of `shop.js`, a shop that imports the checkout, and of `linkPage.js`, `receiptPage.js` and `refundPage.js`. */
    bundles: string
  }
}

const source = join(import.meta.dirname, '../src')
const dist = join(import.meta.dirname, '../dist')
const published = ['script.js', 'link.js', 'linkPage.js', 'receiptPage.js', 'refundPage.js']

/**
 * Builds the published files from the current source, dependencies included. `pnpm test` has built the package just before:
 * its files are used then, which takes a second instead of six.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-checkout-'))
  const scripts = {
    script: join(source, 'script.ts'),
    link: join(source, 'link/linkFile.ts'),
    linkPage: join(source, 'hosted/linkPage.ts'),
    receiptPage: join(source, 'receipt/page.tsx'),
    refundPage: join(source, 'refund/page.tsx'),
  }
  const both = async () => {
    await Promise.all([
      process.env.TEST_IN_PACKAGES
        ? Promise.all(published.map((file) => copyFile(join(dist, file), join(folder, file))))
        : bundle('iife', scripts, folder).then(() => pinLinkFile(folder)),
      bundle('esm', { shop: join(import.meta.dirname, 'shop.ts') }, folder),
    ])
  }
  await both()
  project.provide('bundles', folder)
  project.onTestsRerun(both)
  return () => rm(folder, { recursive: true })
}

async function bundle(format: 'esm' | 'iife', entry: Record<string, string>, outDir: string) {
  const configs = Array.isArray(config) ? config : []
  const { onSuccess, ...options } =
    configs.find(
      (candidate) => typeof candidate === 'object' && candidate.format?.includes(format),
    ) ?? {}
  await build({
    ...options,
    // Workspace packages resolve to their sources, as in the tests.
    esbuildOptions(esbuild, context) {
      options.esbuildOptions?.(esbuild, context)
      esbuild.conditions = ['source', 'module']
    },
    config: false,
    format: [format],
    entry,
    tsconfig: join(import.meta.dirname, '../tsconfig.json'),
    noExternal: [/./],
    dts: false,
    clean: false,
    outDir,
    silent: true,
  })
}
