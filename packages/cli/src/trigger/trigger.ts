import type { Event } from '@payment-intents/contract'
import { deliver } from '../listen/deliver.ts'
import type { News } from '../listen/news.ts'

export type Triggering = {
  readonly event: Event
  readonly forwardTo: URL
  /** `whsec_…` */
  readonly secret: string
  /** Masked in responses; empty without an API key. */
  readonly apiKey: string
  readonly show: (news: News) => void
  readonly signal: AbortSignal
}

/** Posts an event, signed, once. @returns whether the handler took it */
export async function trigger(triggering: Triggering): Promise<boolean> {
  const { event, forwardTo: url, secret, apiKey, show, signal } = triggering
  show({ kind: 'event', event })
  let isAccepted = false
  const note = (news: News) => {
    if (news.kind === 'delivery') isAccepted = news.problem === undefined
    show(news)
  }
  const receiver = { url, secret, apiKey, signal, show: note, waits: [], timeoutMs: 15_000 }
  await deliver(event, receiver, () => {})
  return isAccepted
}
