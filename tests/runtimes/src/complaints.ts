import type { FaultRequest } from '@payment-intents/testing/faults'
import type { Report } from './agent/runAgent.ts'
import { apiKey, bound, clientSecret, intent, type Row } from './row.ts'

/** One row in one runtime: what the agent reported, and what the server received. */
export type Observation = {
  readonly report: Report
  readonly requests: readonly FaultRequest[]
  /** When each of them arrived, in milliseconds of one clock. */
  readonly arrivals: readonly number[]
  readonly idempotencyKeys: ReadonlySet<string>
  /** After the call: open connections, and those of them with an unfinished request. */
  readonly sockets: { readonly open: number; readonly busy: number }
}

/** How a row differs from what it expects; empty if it does not. */
export function complaints(row: Row, observation: Observation): string[] {
  const { report, requests, arrivals, idempotencyKeys, sockets } = observation
  const { ending, milliseconds, output } = report
  const attempts = ending.type === 'typed' ? ending.attempts : requests.length
  const received = row.received ?? row.attempts
  const [key] = idempotencyKeys
  const reported = ending.type === 'typed' ? ending.idempotencyKey : key
  const expectedKey = row.call?.idempotencyKey ?? reported
  const [firstArrival = 0, secondArrival = firstArrival] = arrivals
  const waited = Math.round(secondArrival - firstArrival)
  const { retryAfterMs: toWait, lessThan = bound } = row
  const value = ending.type === 'fulfilled' ? JSON.stringify(ending.value) : undefined
  const checks: [holds: boolean, complaint: string][] = [
    [endOf(report) === row.ends, `ended with ${endOf(report)} instead of ${row.ends}`],
    [ending.type !== 'raw', `let an error of the runtime escape: ${output.slice(0, 300)}`],
    [row.ends !== 'ok' || value === JSON.stringify(intent), `gave ${value}`],
    [attempts === row.attempts, `made ${attempts} attempts instead of ${row.attempts}`],
    [requests.length === received, `sent ${requests.length} requests instead of ${received}`],
    [idempotencyKeys.size === Math.min(1, received), `sent ${idempotencyKeys.size} keys`],
    [received === 0 || reported === key, `reported the key ${reported} and sent ${key}`],
    [expectedKey === reported, `reported the key ${reported} instead of ${expectedKey}`],
    [requests.every(isNamed), `sent User-Agent ${requests[0]?.userAgent}`],
    [new Set(requests.map(({ body }) => body)).size <= 1, 'sent different bodies'],
    [milliseconds >= (row.atLeast ?? 0), `took ${milliseconds} ms, less than ${row.atLeast}`],
    [milliseconds < lessThan, `took ${milliseconds} ms, not less than ${lessThan}`],
    [toWait === undefined || waited >= toWait - 50, `waited ${waited} ms instead of ${toWait}`],
    [
      toWait === undefined || waited < 2 * toWait,
      `waited ${waited} ms, twice the ${toWait} of Retry-After`,
    ],
    [sockets.busy === 0, `left ${sockets.busy} requests open`],
    // The client keeps a connection for the next call. Node's fetch reopens it after breaking the connection before.
    [sockets.open <= 1, `left ${sockets.open} connections open`],
    [!output.includes(apiKey), 'would print the API key'],
    [!output.includes(clientSecret), 'would print the client secret'],
  ]
  return checks.filter(([holds]) => !holds).map(([, complaint]) => complaint)
}

function isNamed({ userAgent }: FaultRequest): boolean {
  return /^payment-intents-node\/\d+\.\d+\.\d+$/.test(`${userAgent}`)
}

export function endOf({ ending }: Report): string {
  if (ending.type === 'fulfilled') return 'ok'
  return ending.type === 'typed' ? ending.code : ending.type
}
