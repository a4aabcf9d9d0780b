/**
 * Bundles a page with the checkout, as a merchant ships it, for `size-limit` to weigh: the files that it loads at once, and all that paying
 * in English loads. `pnpm bench:browser` weighs it with other bundlers too.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { bundleProgram } from '../bench/browser/bundleProgram.ts'
import { checkouts, ours } from '../bench/browser/checkouts.ts'

const folder = join(import.meta.dirname, '../node_modules/.cache/size')
rmSync(folder, { recursive: true, force: true })

const { program, idle } = checkouts['@payment-intents/browser'] ?? {}
if (!program || !idle) throw new Error('There is no checkout to bundle.')
const { files, first, opened = [] } = await bundleProgram({ program, idle, folder: ours.folder })
for (const [name, paths] of Object.entries({ first, opened })) {
  mkdirSync(join(folder, name), { recursive: true })
  for (const path of paths) writeFileSync(join(folder, name, basename(path)), files.get(path) ?? '')
}
