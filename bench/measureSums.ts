/** Summaries of a merchant's year with 1,000 payment intents, and with `INTENTS`: the ratios should stay below two. */
import { insertMerchant } from '../apps/server/src/store/merchants/merchants.ts'
import { retrieveSummary } from '../apps/server/src/store/summary/retrieveSummary.ts'
import { fillYear, hourMs } from '../apps/server/test/support/database/fillYear.ts'
import { summaryPeriod } from '../packages/core/src/summary/summaryPeriod.ts'
import { median, rounded } from './numbers.ts'
import { openBenchDb } from './openBenchDb.ts'

const limit = Number(process.env.INTENTS ?? 1_000_000)
const samples = 11
const actor = { merchantId: 'mer_1', mode: 'testnet' } as const

type Reads = Map<string, () => Promise<unknown>>

/** Each summary by its name, in a database of so many rows. */
async function open(count: number): Promise<{ reads: Reads; close(): Promise<void> }> {
  const { db, close } = await openBenchDb()
  await insertMerchant(db.pool, { id: actor.merchantId, name: 'Bench', defaultChain: null })
  const begin = await fillYear(db, actor.merchantId, count)
  const end = begin + 365 * 24 * hourMs + hourMs
  const read = (hours: number, interval?: 'hour' | 'day') => {
    const from = Math.max(begin, end - hours * hourMs)
    const iso = (time: number) => new Date(time).toISOString()
    const query = { from: iso(from), to: iso(end), ...(interval && { interval }) }
    return () => retrieveSummary(db, actor, summaryPeriod(query), 1_000)
  }
  const reads: Reads = new Map([
    ['a year, the first time', read(366 * 24)],
    ['a year', read(366 * 24)],
    ['a year in days', read(366 * 24, 'day')],
    ['31 days in hours', read(31 * 24, 'hour')],
    ['a day in hours', read(24, 'hour')],
  ])
  return { reads, close }
}

async function time(read: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await read()
  return performance.now() - begun
}

const few = await open(1_000)
const many = await open(limit)
const rows: [string, Record<string, number>][] = []
for (const [name, read] of few.reads) {
  const [before, after]: [number[], number[]] = [[], []]
  // In turn, so that both meet the same load of the machine.
  for (let sample = 0; sample < (name.endsWith('first time') ? 1 : samples); sample += 1) {
    before.push(await time(read))
    after.push(await time(many.reads.get(name) ?? read))
  }
  const [base, ms] = [median(before), median(after)]
  rows.push([name, rounded({ 'ms of 1,000': base, ms, ratio: ms / base })])
}
await Promise.all([few.close(), many.close()])
console.log(`\nSummaries of ${limit.toLocaleString('en')}, and of 1,000`)
console.table(Object.fromEntries(rows))
