/** Measures the bytes that a page loads for the checkout and for its peers, and how long the checkout takes to open on a slow phone. */
import { readFile } from 'node:fs/promises'
import { weighBundlers } from './browser/bundlers.ts'
import { checkouts } from './browser/checkouts.ts'
import { timeOpenings } from './browser/timeOpenings.ts'
import { gzipped, type Weight, weigh } from './browser/weigh.ts'
import { median } from './numbers.ts'

const runs = Number(process.env.RUNS ?? 7)

console.log('\nWhat a page ships, kB: ES modules of esbuild, minified, gzip -9, without React')
const script = new URL('../packages/browser/dist/script.js', import.meta.url)
const complete = gzipped(await readFile(script))
const weights: Record<string, Record<string, number>> = {
  '@payment-intents/browser, script tag': columns({
    first: complete,
    opened: complete,
    all: complete,
  }),
}
const notes: string[] = []
for (const [name, checkout] of Object.entries(checkouts)) {
  if (checkout.note) notes.push(`${name}: ${checkout.note}`)
  try {
    weights[name] = columns(await weigh(checkout))
  } catch (error) {
    weights[name] = {}
    notes.push(`${name} could not be weighed: ${(error as Error).message}`)
  }
}
console.table(weights)
console.log(
  'Where "until open" is empty, it is between the two: a peer does not report what opening fetches.',
)
for (const note of notes) console.log(note)

console.log('\nThe checkout by bundler, kB after gzip -9, less a page without it')
const bundled: Record<string, Record<string, number>> = {}
for (const [name, { first, sharedBytes: concurrent, all }] of Object.entries(
  await weighBundlers(),
)) {
  bundled[name] = {
    'first load': kB(first),
    'less a page that loads on demand': kB(concurrent),
    'until paid': kB(all),
  }
}
console.table(bundled)

console.log(`\nOpening the checkout, milliseconds of ${runs} visits`)
const times: Record<string, Record<string, number>> = {}
for (const [name, visits] of await timeOpenings(runs)) {
  const open = visits.map((visit) => visit.open)
  times[name] = {
    'page loaded': Math.round(median(visits.map(({ page }) => page))),
    'open to shown': Math.round(median(visits.map(({ shown }) => shown))),
    'open to usable': Math.round(median(open)),
    worst: Math.round(Math.max(...open)),
  }
}
console.table(times)

function columns({ first, opened, all }: Weight): Record<string, number> {
  return {
    'first load': kB(first),
    ...(opened !== null && { 'until open': kB(opened) }),
    everything: kB(all),
  }
}

function kB(bytes: number): number {
  return Math.round(bytes / 100) / 10
}
