import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findChromium } from '../../support/findChromium.ts'
import { startChromium } from '../../support/startChromium.ts'
import { catalogue } from './catalogue.ts'
import type { Entry } from './entry.ts'
import { drawLanguages, languages } from './languages.ts'
import { drawScreen } from './picture.ts'
import { startWorld, type World } from './screensWorld.ts'

/** Draws every screen into `tests/screens/pictures`, or only the screens named by the arguments. */

const folder = join(import.meta.dirname, '../pictures')
/** A letter of each script that the checkout is written in, and whose fonts it is drawn with. */
const scripts = { Arabic: 'ar', Chinese: 'zh-cn', Japanese: 'ja', Korean: 'ko', Devanagari: 'hi' }
const wanted = process.argv.slice(2)

const missing = Object.entries(scripts).filter(([, language]) => !hasFont(language))
if (missing.length > 0) {
  const names = missing.map(([name]) => name).join(', ')
  console.warn(`No font for ${names}: those letters come out as boxes. On Debian or Ubuntu:`)
  console.warn('  apt-get install fonts-noto-core fonts-noto-cjk')
}

mkdirSync(folder, { recursive: true })
const browser = await startChromium(await findChromium())
const world = await startWorld(browser)
try {
  const entries = catalogue.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
  await drawAll(world, entries)
  for (const language of languages) {
    if (wanted.length > 0 && !wanted.includes(`language-${language}`)) continue
    console.log(`language-${language}`)
    writeFileSync(join(folder, `language-${language}.png`), await drawLanguages(world, language))
  }
} finally {
  await browser.close()
  await world.stop()
}
if (wanted.length === 0) dropForgotten()
writeFileSync(join(folder, 'README.md'), page())

async function drawAll(world: World, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) {
    console.log(entry.name)
    writeFileSync(join(folder, `${entry.name}.png`), await drawScreen(world, entry))
  }
}

/** Removes pictures of screens that no longer exist. */
function dropForgotten(): void {
  const fileNames = new Set([
    ...catalogue.map(({ name }) => `${name}.png`),
    ...languages.map((language) => `language-${language}.png`),
  ])
  for (const file of readdirSync(folder)) {
    if (file.endsWith('.png') && !fileNames.has(file)) rmSync(join(folder, file))
  }
}

function hasFont(language: string): boolean {
  try {
    return execFileSync('fc-list', [`:lang=${language}`], { encoding: 'utf8' }) !== ''
  } catch {
    return true
  }
}

function page(): string {
  const screens = catalogue.map(
    ({ name, about }) => `## ${name}\n\n${about}\n\n![${name}](${name}.png)`,
  )
  const sheets = languages.map((language) => `![${language}](language-${language}.png)`)
  return `# Every screen of the checkout

Each picture shows one screen in light, in dark, on a phone, and in Arabic, from right to left. They are made by
\`pnpm screens\`, which walks to every screen: a real server, a real chain, a real browser, and wallets that
misbehave on purpose. \`pnpm vitest run --project screens --mode full\` walks the same ways, checks what each screen says,
and pays from every screen that can be paid from; without \`--mode full\` to some of each kind. The walks are in
\`tests/screens/src/catalogue*.ts\`.

${screens.join('\n\n')}

## Languages

To pay, to confirm in the wallet, to wait, and paid: the same four screens in every language.

${sheets.join('\n\n')}
`
}
