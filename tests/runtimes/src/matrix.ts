import { type FaultServer, startFaultServer } from '@payment-intents/testing/faults'
import { patience } from '../../support/patience.ts'
import { until } from '../../support/until.ts'
import type { Report } from './agent/runAgent.ts'
import type { Bundles } from './bundleAgents.ts'
import { complaints, endOf } from './complaints.ts'
import { startControl } from './control.ts'
import { type End, launch } from './launch.ts'
import { apiKey, intent, type Row, timeout } from './row.ts'
import type { Runtime, RuntimeName } from './runtimes.ts'

export type Cell = {
  /** How it differs from what the row expects; empty if it does not. */
  readonly complaints: readonly string[]
  readonly ended: string
  readonly attempts: number
  readonly milliseconds: number
  /** Connections that were open when the call was over. */
  readonly sockets: number
}

export type RuntimeResult = {
  /** A cell for each row, in their order. */
  readonly cells: readonly Cell[]
  /** How its process ended, if not by itself and cleanly. */
  readonly complaints: readonly string[]
}

const silence: Cell = {
  ...{ complaints: ['reported nothing'], ended: 'unknown' },
  ...{ attempts: 0, milliseconds: 0, sockets: 0 },
}

/**
 * Makes the call of every row in one runtime, each against a server of its own.
 *
 * @throws Error when the runtime cannot be fetched
 */
export async function runRuntime(
  runtime: Runtime,
  bundles: Bundles,
  rows: readonly Row[],
): Promise<RuntimeResult> {
  const executable = await runtime.executable()
  const cells: Cell[] = []
  const targets = await Promise.all(rows.map(startTarget))
  const calls = targets.map(({ server }, index) => {
    const { server: how, call } = rows[index] ?? {}
    const url = how === 'called_by_https' ? server.url.replace('http:', 'https:') : server.url
    return { url, timeout, ...call }
  })
  const idle = new AbortController()
  const giveUp = () => idle.abort()
  // Also from the last call until the process ends.
  let timer = setTimeout(giveUp, 2 * patience)
  const control = await startControl({
    work: { apiKey, patience, calls },
    received: (index) => holds(() => targets[index]?.server.requests.length !== 0),
    async report(index, report) {
      clearTimeout(timer)
      timer = setTimeout(giveUp, 2 * patience)
      const [row, target] = [rows[index], targets[index]]
      if (!row || !target) throw new Error(`There is no row ${index}.`)
      // Checked while the runtime runs: its end would close whatever it has leaked.
      await holds(() => {
        const { open, busy } = target.server.sockets()
        return busy === 0 && open <= 1
      })
      cells[index] = cell(expected(row, runtime.name), target, report)
    },
  })
  const args = runtime.args(bundles, control.url)
  const end = await launch(runtime, executable, args, control.url, idle.signal)
  clearTimeout(timer)
  await control.close()
  await Promise.all(targets.map(({ server }) => server.stop()))

  return {
    cells: rows.map((_, index) => cells[index] ?? silence),
    complaints: isOrderly(end, runtime) ? [] : [`ended ${JSON.stringify(end)}`],
  }
}

type Target = { readonly server: FaultServer; readonly arrivals: readonly number[] }

/** The server of one row, which notes when requests arrive. */
async function startTarget({ plan, server: how }: Row): Promise<Target> {
  const arrivals: number[] = []
  const server = await startFaultServer({
    upstream: { json: intent },
    plan(request) {
      arrivals.push(performance.now())
      if (typeof plan === 'function') return plan(request)
      return plan[arrivals.length - 1] ?? { type: 'none' }
    },
  })
  if (how === 'gone') await server.stop()
  return { server, arrivals }
}

function expected(row: Row, runtime: RuntimeName): Row {
  return { ...row, ...row.except?.find((exception) => exception.runtime === runtime) }
}

function isOrderly(end: End, runtime: Runtime): boolean {
  if (end.type === 'ended') return true
  const { noise = '' } = runtime
  return end.type === 'by_itself' && end.code === 0 && end.stderr.replaceAll(noise, '') === ''
}

function cell(row: Row, { server, arrivals }: Target, report: Report): Cell {
  const { requests, idempotencyKeys } = server
  const sockets = server.sockets()
  return {
    complaints: complaints(row, { report, requests, arrivals, idempotencyKeys, sockets }),
    ended: endOf(report),
    attempts: report.ending.type === 'typed' ? report.ending.attempts : requests.length,
    milliseconds: report.milliseconds,
    sockets: sockets.open,
  }
}

/** Waits for a condition, and returns whether it holds. */
async function holds(condition: () => boolean): Promise<boolean> {
  const check = () => {
    if (!condition()) throw new Error('It does not hold.')
  }
  return until(check).then(
    () => true,
    () => false,
  )
}
