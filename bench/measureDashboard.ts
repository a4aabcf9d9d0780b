/**
 * Reads of the dashboard over HTTP: lists, a timeline, the attention list, attempts and the export, for a merchant with 1,000 of
 * everything and for a merchant with `INTENTS`. The ratios should stay below two. An export is compared by its first byte, by the time of
 * 1,000 rows, and by the server's memory.
 */

import { type Export, exportAll } from './dashboard/exportAll.ts'
import { fillDashboard } from './dashboard/fillDashboard.ts'
import { median, rounded } from './numbers.ts'
import { createSetting, type Setting } from './server/serverSetting.ts'

const limit = Number(process.env.INTENTS ?? 1_000_000)
const samples = 21
const exports = 3

type World = { readonly setting: Setting; readonly apiKey: string; readonly paths: Paths }
/** The list or page that is read, and its path. */
type Paths = Readonly<Record<string, string>>

async function open(count: number): Promise<World> {
  const setting = await createSetting()
  const { id, apiKey } = await setting.merchant()
  return { setting, apiKey, paths: await fillDashboard(setting.db, id, count) }
}

async function time({ setting, apiKey }: World, path: string): Promise<number> {
  const begun = performance.now()
  const response = await fetch(setting.server.url + path, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return performance.now() - begun
}

const few = await open(1_000)
const many = await open(limit)
try {
  const rows: Record<string, Record<string, number>> = {}
  for (const name of Object.keys(few.paths)) {
    const times: [number[], number[]] = [[], []]
    // By turns, so that both meet the same load of the machine. The first of each is not counted.
    for (let sample = -1; sample < samples; sample += 1) {
      for (const [index, world] of [few, many].entries()) {
        const ms = await time(world, world.paths[name] ?? '')
        if (sample >= 0) times[index]?.push(ms)
      }
    }
    const [base, ms] = [median(times[0]), median(times[1])]
    rows[name] = rounded({ 'ms of 1,000': base, ms, ratio: ms / base })
  }
  console.log(`\nReads of the dashboard among ${limit.toLocaleString('en')}, and among 1,000`)
  console.table(rows)

  for (const what of ['payment_intents', 'transfers', 'refunds']) {
    const results: [Export[], Export[]] = [[], []]
    for (let sample = 0; sample < exports; sample += 1) {
      // A long export is one sample by itself.
      results[0].push(await exportAll(few.setting.server, few.apiKey, what))
      if (sample === 0) results[1].push(await exportAll(many.setting.server, many.apiKey, what))
    }
    const row = (of: readonly Export[]) =>
      rounded({
        'first byte, ms': median(of.map(({ firstMs }) => firstMs)),
        'ms of 1,000 rows': median(of.map(({ msOfThousand }) => msOfThousand)),
        rows: of[0]?.rows ?? 0,
        'more memory, MB': Math.max(...of.map(({ memory }) => memory)),
      })
    console.log(`\nExport of ${what}`)
    console.table({ few: row(results[0]), many: row(results[1]) })
  }
} finally {
  await few.setting.close()
  await many.setting.close()
}
