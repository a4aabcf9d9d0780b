import type { Event } from '@payment-intents/contract'
import type { Client } from '@payment-intents/node'
import { pause } from '../pause.ts'
import { deliver } from './deliver.ts'
import type { News, Signing } from './news.ts'
import { pollEvents } from './pollEvents.ts'
import { progressFrom } from './progress.ts'

/** All in milliseconds. */
export type Pace = {
  /** Between two polls. */
  readonly poll: number
  /** How long a slow delivery delays the next event. */
  readonly patience: number
  readonly timeout: number
  /** Before each retry of a delivery. */
  readonly retries: readonly number[]
}

type Listening = {
  readonly client: Client
  readonly baseUrl: string
  readonly apiKey: string
  readonly forwarding: (Signing & { readonly to: URL }) | undefined
  readonly types: readonly string[] | undefined
  readonly since: string | undefined
  readonly pace: Pace
  readonly show: (news: News) => void
  readonly signal: AbortSignal
}

export type Listener = {
  /** Sends the last event again. */
  redeliver(): void
  /** Resolves once the signal is aborted. Rejects with a `PaymentIntentsError` when the service refuses the request. */
  readonly done: Promise<void>
}

/** Polls often enough for interactive use; the timeout is the service's. */
export const usualPace: Pace = {
  poll: 1_000,
  patience: 1_000,
  timeout: 15_000,
  retries: [1_000, 5_000, 30_000],
}

/** Shows a merchant's events as they happen and posts them in order. A failed delivery delays no later delivery. */
export function listen(listening: Listening): Listener {
  const { client, baseUrl, apiKey, forwarding, types, since, pace, show, signal } = listening
  const receiver = forwarding && {
    ...{ url: forwarding.to, secret: forwarding.secret, apiKey, show, signal },
    ...{ waits: pace.retries, timeoutMs: pace.timeout },
  }
  let last: Event | undefined
  let progress = progressFrom(since)

  async function run(): Promise<void> {
    for await (const sighting of pollEvents({ client, since, pollMs: pace.poll, signal })) {
      if (sighting.kind === 'ready') {
        progress = progressFrom(sighting.after)
        show({ kind: 'ready', baseUrl, forwarding: announced() })
      } else if (sighting.kind !== 'event') show(sighting)
      else if (types?.includes(sighting.event.type) ?? true) await deliverEvent(sighting.event)
    }
    show({ kind: 'stopped', last: progress.cursor })
  }

  function announced() {
    return forwarding && { ...forwarding, to: forwarding.to.href }
  }

  async function deliverEvent(event: Event): Promise<void> {
    last = event
    show({ kind: 'event', event })
    const settle = progress.begin(event.id)
    if (!receiver) return settle()
    await Promise.race([deliver(event, receiver, settle), pause(pace.patience, signal)])
  }

  return {
    redeliver() {
      if (last && receiver) void deliver(last, receiver, () => {})
    },
    done: run(),
  }
}
