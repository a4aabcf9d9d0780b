import type { Event } from '@payment-intents/contract'
import { redact } from '@payment-intents/contract/redact'
import { signedHeaders } from '@payment-intents/contract/signing'
import { pause } from '../pause.ts'
import { explain } from './explain.ts'
import { forward } from './forward.ts'
import type { News } from './news.ts'

export type Receiver = {
  readonly url: URL
  /** `whsec_…` */
  readonly secret: string
  /** Masked in responses. */
  readonly apiKey: string
  /** Milliseconds before each retry. */
  readonly waits: readonly number[]
  /** Timeout of one attempt, in milliseconds. */
  readonly timeoutMs: number
  readonly show: (news: News) => void
  readonly signal: AbortSignal
}

/**
 * Posts an event. Resolves after the first attempt; failed attempts are retried in the background.
 *
 * @param settle called once the event is delivered or given up
 */
export async function deliver(
  event: Event,
  receiver: Receiver,
  settle: () => void,
  attempt = 1,
): Promise<void> {
  const { url, secret, apiKey, timeoutMs, waits, show, signal } = receiver
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signedHeaders({ id: event.id, timestamp, body }, [secret])
  const outcome = await forward({ url, headers, body, timeoutMs, signal })
  if (signal.aborted) return
  const problem = explain(outcome, url)
  const status = outcome.type === 'responded' ? outcome.status : undefined
  const retryMs = problem === undefined || status === 410 ? undefined : waits[attempt - 1]
  show({
    kind: 'delivery',
    event,
    attempt,
    status,
    ms: outcome.ms,
    problem: problem && redact(problem, apiKey),
    retryMs,
  })
  if (retryMs === undefined) return settle()
  void pause(retryMs, signal).then(() => deliver(event, receiver, settle, attempt + 1))
}
