import type { Fault } from '@payment-intents/testing/faults'
import { random } from 'simulation/src/plan/random.ts'
import { slowness } from '../../../support/patience.ts'

/** The faults that a call of the client meets, and its deadline. */
export type Schedule = {
  /** The fault of the first request of the call, of the second, and so on; none after the last. */
  readonly faults: readonly Fault[]
  /** Options of the call. */
  readonly limits: {
    readonly timeout: number
    readonly deadline: number
    readonly maxRetries: number
  }
  /** Milliseconds after which the caller gives up. */
  readonly abortAfter: number | undefined
}

const shouldRetry = true

/** Milliseconds in which this machine does what an ordinary machine does in `ordinary`. */
const inTime = (ordinary: number) => Math.ceil(ordinary * slowness)

const faults: readonly (readonly [weight: number, fault: Fault])[] = [
  [20, { type: 'none' }],
  [5, { type: 'delay', milliseconds: inTime(60) }],
  [2, { type: 'delay', milliseconds: inTime(700) }],
  [1, { type: 'trickle', milliseconds: 1 }],
  ...both(5, { type: 'error', code: 'internal_error' }),
  ...both(4, { type: 'page', status: 502 }),
  ...both(3, { type: 'page', status: 503, retryAfter: 0 }),
  ...both(2, { type: 'error', code: 'rate_limited', retryAfter: 0 }),
  ...both(1, { type: 'error', code: 'rate_limited' }),
  ...both(2, { type: 'error', code: 'conflict', shouldRetry }),
  ...both(1, { type: 'error', code: 'conflict' }),
  ...both(1, { type: 'error', code: 'internal_error', shouldRetry: false }),
  ...both(1, { type: 'redirect', location: 'http://127.0.0.1:9/' }),
  ...both(6, { type: 'reset', at: 'headers' }),
  ...both(6, { type: 'reset', at: 'body' }),
  ...both(3, { type: 'stall', at: 'headers' }),
  ...both(3, { type: 'stall', at: 'body' }),
  ...both(3, { type: 'truncate', framing: 'length' }),
  ...both(3, { type: 'truncate', framing: 'chunked' }),
  ...both(2, { type: 'broken_json' }),
  ...both(2, { type: 'wrong_shape' }),
  ...both(2, { type: 'broken_gzip' }),
  ...both(2, { type: 'not_http' }),
]

/** The schedule of a call, which follows from the seed and its number alone. */
export function drawSchedule(seed: number, call: number): Schedule {
  const { chance, int, pick, weighted } = random(seed, call)
  return {
    faults: Array.from({ length: int(1, 4) }, () => weighted(faults)),
    limits: {
      timeout: inTime(pick([250, 1_000, 4_000])),
      deadline: inTime(chance(0.1) ? int(1, 500) : 20_000),
      maxRetries: pick([0, 1, 2, 2, 4]),
    },
    abortAfter: chance(0.1) ? inTime(int(0, 300)) : undefined,
  }
}

/** Faults after the request reached the upstream, and before. */
function both(weight: number, fault: Fault): [number, Fault][] {
  return [
    [weight, fault],
    [weight, { ...fault, committed: true } as Fault],
  ]
}
