import { sleep } from '../lib/sleep.ts'
import type { ServiceTransport } from '../service/post.ts'
import { type ResolveOutcome, resolveIntent } from '../service/resolveIntent.ts'

type Follow = {
  serviceTransport: ServiceTransport
  /** Whether the next request reserves an amount to pay by hand. */
  reserves: () => boolean
  onOutcome: (outcome: ResolveOutcome, reserved: boolean) => void
  signal: AbortSignal
}

const waitSeconds = 25
const slowestRetryMs = 10_000
/** The wait between unchanged responses, if the service does not hold requests. */
const pauseMs = 1000

/**
 * Polls the intent until it is not found or unsupported, even once it is paid, since a second payment may follow. The
 * service holds each request until something changes. A return to the page or of the network polls at once.
 *
 * @returns a function that polls at once
 */
export function followIntent({
  serviceTransport,
  reserves,
  onOutcome,
  signal,
}: Follow): () => void {
  let version: number | undefined
  let failures = 0
  let round = new AbortController()
  const wake = () => round.abort()
  const wakeWhenVisible = () => {
    if (!document.hidden) wake()
  }
  signal.addEventListener('abort', wake)
  window.addEventListener('online', wake, { signal })
  window.addEventListener('offline', wake, { signal })
  document.addEventListener('visibilitychange', wakeWhenVisible, { signal })

  void follow()
  return wake

  async function follow() {
    while (!signal.aborted) {
      round = new AbortController()
      const reserve_amount = reserves()
      // After a failure the first request is not held.
      const atOnce = version === undefined || failures > 0
      const longPoll = atOnce ? {} : { after_version: version, wait_seconds: waitSeconds }
      const request = reserve_amount ? { reserve_amount } : longPoll
      const outcome = await resolveIntent(serviceTransport, request, round.signal)
      if (signal.aborted) return
      if (outcome.outcome === 'interrupted') continue
      onOutcome(outcome, reserve_amount)
      if (outcome.outcome === 'not_found' || outcome.outcome === 'unknown_token') return
      if (outcome.outcome === 'resolved') {
        const { intent } = outcome
        const isChanged = version !== intent.version
        version = intent.version
        failures = 0
        if (!isChanged) await sleep(pauseMs, round.signal)
      } else {
        failures += 1
        const retryAfter = outcome.outcome === 'rate_limited' ? outcome.retryAfterMs : 0
        await sleep(Math.max(backOff(failures), retryAfter), round.signal)
      }
    }
  }
}

function backOff(failures: number): number {
  return Math.min(slowestRetryMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2)
}
