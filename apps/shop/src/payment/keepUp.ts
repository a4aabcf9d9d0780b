import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Event } from '@payment-intents/node'
import { catchUp } from './catchUp.ts'

/**
 * Passes on events that webhooks have not delivered, until the signal is aborted: at once all events from while the shop
 * was closed, then periodically those that are older than `patience`.
 *
 * @param options.patience milliseconds that webhooks have, and between two polls
 */
export async function keepUp(
  deps: {
    client: Client
    db: DatabaseSync
    onEvent(event: Event): void
    /** Called after each attempt to fetch them. */
    onCaughtUp?(): Promise<void>
    log(line: string): void
  },
  { patience, signal }: { patience: number; signal: AbortSignal },
): Promise<void> {
  let before: Date | undefined
  for (; !signal.aborted; before = new Date(Date.now() - patience)) {
    await catchUp(deps, { before, signal }).catch((error) => {
      if (!signal.aborted) deps.log(`Events could not be caught up with: ${error.message}`)
    })
    await deps.onCaughtUp?.()
    await sleep(patience, undefined, { signal }).catch(() => {})
  }
}
