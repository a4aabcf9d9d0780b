import { setTimeout as sleep } from 'node:timers/promises'
import { isSettled, type Sighting } from '../db/orders.ts'

export type FollowPayment = {
  readonly baseUrl: string
  readonly clientSecret: string
  /** The last version that is known; 0 before the first. */
  readonly version: number
  readonly signal: AbortSignal
  /** Told of each change, in order. */
  onSighting(sighting: Sighting): void
}

/** Longest time that the API holds an answer back. */
const waitSeconds = 25
const firstPause = 250
const longestPause = 15_000

/**
 * Asks the API about one payment until it is settled: each request is held until something has changed, so that
 * the shop hears of it at once. Outages are waited out.
 *
 * A webhook endpoint takes this file's place one day; what it hears goes into the same `recordSighting`.
 */
export async function followPayment(
  options: FollowPayment,
): Promise<'settled' | 'unknown_intent' | 'stopped'> {
  let { version } = options
  let pause = firstPause
  while (!options.signal.aborted) {
    const answer = await ask(options, version)
    if (answer.outcome === 'unknown_intent') return 'unknown_intent'
    if (answer.outcome === 'unreachable') {
      const jitter = 0.5 + Math.random() / 2
      await rest(Math.max(answer.retryAfter, pause * jitter), options.signal)
      pause = Math.min(pause * 2, longestPause)
      continue
    }
    pause = firstPause
    if (answer.sighting.version > version) {
      version = answer.sighting.version
      options.onSighting(answer.sighting)
    }
    if (isSettled(answer.sighting.status)) return 'settled'
  }
  return 'stopped'
}

type Answer =
  | { outcome: 'seen'; sighting: Sighting }
  | { outcome: 'unknown_intent' }
  /** `retryAfter` in milliseconds. */
  | { outcome: 'unreachable'; retryAfter: number }

async function ask(options: FollowPayment, version: number): Promise<Answer> {
  const timeout = AbortSignal.timeout((waitSeconds + 10) * 1000)
  try {
    const response = await fetch(`${options.baseUrl}/v1/payment_intents/resolve`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_secret: options.clientSecret,
        after_version: version,
        wait_seconds: waitSeconds,
      }),
      signal: AbortSignal.any([options.signal, timeout]),
    })
    const body: unknown = await response.json()
    if (response.ok && isSighting(body)) {
      const { status, version, tx_hash } = body
      return { outcome: 'seen', sighting: { status, version, tx_hash } }
    }
    if (response.status === 404 && (body as { error?: unknown }).error === 'intent_not_found')
      return { outcome: 'unknown_intent' }
    const seconds = Number(response.headers.get('retry-after'))
    return { outcome: 'unreachable', retryAfter: seconds > 0 ? seconds * 1000 : 0 }
  } catch {
    return { outcome: 'unreachable', retryAfter: 0 }
  }
}

function isSighting(body: unknown): body is Sighting {
  if (typeof body !== 'object' || body === null) return false
  const { status, version, tx_hash } = body as Record<string, unknown>
  return (
    typeof status === 'string' &&
    Number.isInteger(version) &&
    (typeof tx_hash === 'string' || tx_hash === null)
  )
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}
