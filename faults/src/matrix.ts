import { type FaultServer, startFaultServer } from '@payment-intents/testing/faults'
import type { Report } from './agent/run.ts'
import type { Bundles } from './bundle.ts'
import { startControl } from './control.ts'
import { complaints, endOf } from './judge.ts'
import { type End, launch } from './launch.ts'
import { apiKey, bound, intent, type Row, timeout } from './row.ts'
import { findExecutable, type Runtime, type RuntimeName } from './runtimes.ts'

export type Cell = {
  /** What is wrong; nothing when all is as the row says. */
  readonly complaints: readonly string[]
  readonly ended: string
  readonly attempts: number
  readonly milliseconds: number
  /** Connections that were open when the call was over. */
  readonly sockets: number
}

export type RuntimeResult =
  | { readonly type: 'missing'; readonly why: string }
  | {
      readonly type: 'ran'
      /** One for each row, in their order. */
      readonly cells: readonly Cell[]
      /** How its process ended, if not as it should. */
      readonly complaints: readonly string[]
    }

/** How long a connection may take to close after its call. */
const closingTime = 10_000
/** How long the process of a runtime may live, and how long when all calls are over. */
const [longestRun, longestEnd] = [120_000, 15_000]

const silence: Cell = {
  ...{ complaints: ['told nothing'], ended: 'unknown' },
  ...{ attempts: 0, milliseconds: 0, sockets: 0 },
}

/** Makes the call of every row in one runtime, each against a server of its own. */
export async function runRuntime(
  runtime: Runtime,
  bundles: Bundles,
  rows: readonly Row[],
): Promise<RuntimeResult> {
  const executable = await findExecutable(runtime)
  if (executable.type === 'missing') return executable
  const cells: Cell[] = []
  const servers = await Promise.all(
    rows.map(({ plan }) => startFaultServer({ upstream: { json: intent }, plan })),
  )
  await Promise.all(servers.map((server, index) => rows[index]?.server === 'gone' && server.stop()))
  const calls = servers.map((server, index) => {
    const { server: how, call } = rows[index] ?? {}
    const url = how === 'called_by_https' ? server.url.replace('http:', 'https:') : server.url
    return { url, timeout, ...call }
  })
  const tooLate = new AbortController()
  let timer = setTimeout(() => tooLate.abort(), longestRun)
  const control = await startControl({
    work: { apiKey, patience: 2 * bound, calls },
    received: (index) => until(() => servers[index]?.requests.length !== 0, bound),
    async report(index, report) {
      const [row, server] = [rows[index], servers[index]]
      if (!row || !server) throw new Error(`There is no row ${index}.`)
      // Seen while the runtime lives: its end would close whatever it has leaked.
      await until(() => {
        const { open, busy } = server.sockets()
        return busy === 0 && open <= 1
      }, closingTime)
      cells[index] = cell(expected(row, runtime.name), server, report)
      if (Object.keys(cells).length < rows.length) return
      clearTimeout(timer)
      timer = setTimeout(() => tooLate.abort(), longestEnd)
    },
  })
  const args = runtime.args(bundles, control.url)
  const end = await launch(runtime, executable.path, args, control.url, tooLate.signal)
  clearTimeout(timer)
  control.stop()
  await Promise.all(servers.map((server) => server.stop()))

  return {
    type: 'ran',
    cells: rows.map((_, index) => cells[index] ?? silence),
    complaints: isOrderly(end, runtime) ? [] : [`ended ${JSON.stringify(end)}`],
  }
}

function expected(row: Row, runtime: RuntimeName): Row {
  return { ...row, ...row.except?.find((exception) => exception.runtime === runtime) }
}

function isOrderly(end: End, runtime: Runtime): boolean {
  if (end.type === 'ended') return true
  const { noise = '' } = runtime
  return end.type === 'by_itself' && end.code === 0 && end.stderr.replaceAll(noise, '') === ''
}

function cell(row: Row, server: FaultServer, report: Report): Cell {
  const { requests, idempotencyKeys } = server
  const sockets = server.sockets()
  return {
    complaints: complaints(row, { report, requests, idempotencyKeys, sockets }),
    ended: endOf(report),
    attempts: report.ending.type === 'typed' ? report.ending.attempts : requests.length,
    milliseconds: report.milliseconds,
    sockets: sockets.open,
  }
}

/** Waits for a condition, for so long at most. */
async function until(holds: () => boolean, milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds
  while (!holds() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
