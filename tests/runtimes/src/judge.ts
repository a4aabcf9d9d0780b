import type { FaultRequest } from '@payment-intents/testing/faults'
import type { Report } from './agent/run.ts'
import { apiKey, bound, clientSecret, intent, type Row } from './row.ts'

/** One row in one runtime: what the agent told, and what the server saw. */
export type Observation = {
  readonly report: Report
  readonly requests: readonly FaultRequest[]
  /** When each of them arrived: milliseconds of one clock. */
  readonly arrivals: readonly number[]
  readonly idempotencyKeys: ReadonlySet<string>
  /** After the call: open, and of them those that a request is still held open on. */
  readonly sockets: { readonly open: number; readonly busy: number }
}

/** What is not as the row says; nothing when all is. */
export function complaints(row: Row, observation: Observation): string[] {
  const { report, requests, arrivals, idempotencyKeys, sockets } = observation
  const { ending, milliseconds, output } = report
  const attempts = ending.type === 'typed' ? ending.attempts : requests.length
  const received = row.received ?? row.attempts
  const [key] = idempotencyKeys
  const told = ending.type === 'typed' ? ending.idempotencyKey : key
  const wanted = row.call?.idempotencyKey ?? told
  const [first = 0, second = first] = arrivals
  const waited = Math.round(second - first)
  const { told: toWait, lessThan = bound } = row
  const value = ending.type === 'fulfilled' ? JSON.stringify(ending.value) : undefined
  const checks: [holds: boolean, complaint: string][] = [
    [endOf(report) === row.ends, `ended with ${endOf(report)} instead of ${row.ends}`],
    [ending.type !== 'raw', `let an error of the runtime escape: ${output.slice(0, 300)}`],
    [row.ends !== 'ok' || value === JSON.stringify(intent), `gave ${value}`],
    [attempts === row.attempts, `made ${attempts} attempts instead of ${row.attempts}`],
    [requests.length === received, `sent ${requests.length} requests instead of ${received}`],
    [idempotencyKeys.size === Math.min(1, received), `sent ${idempotencyKeys.size} keys`],
    [received === 0 || told === key, `told the key ${told} and sent ${key}`],
    [wanted === told, `told the key ${told} instead of ${wanted}`],
    [new Set(requests.map(({ body }) => body)).size <= 1, 'sent different bodies'],
    [milliseconds >= (row.atLeast ?? 0), `took ${milliseconds} ms, less than ${row.atLeast}`],
    [milliseconds < lessThan, `took ${milliseconds} ms, not less than ${lessThan}`],
    [toWait === undefined || waited >= toWait - 50, `waited ${waited} ms instead of ${toWait}`],
    [toWait === undefined || waited < 2 * toWait, `waited ${waited} ms when told ${toWait}`],
    [sockets.busy === 0, `left ${sockets.busy} requests open`],
    // One is kept for the next call. Node's fetch opens it anew when it had to break the one before.
    [sockets.open <= 1, `left ${sockets.open} connections open`],
    [!output.includes(apiKey), 'would print the API key'],
    [!output.includes(clientSecret), 'would print the client secret'],
  ]
  return checks.filter(([holds]) => !holds).map(([, complaint]) => complaint)
}

export function endOf({ ending }: Report): string {
  if (ending.type === 'fulfilled') return 'ok'
  return ending.type === 'typed' ? ending.code : ending.type
}
