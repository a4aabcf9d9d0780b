import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Event } from '@payment-intents/node'
import { catchUp } from './catchUp.ts'

/**
 * Until the signal is aborted, hands on what webhooks have not brought: at once all that was written while the shop
 * was closed; later, again and again, what a webhook should long have brought.
 *
 * @param options.patience milliseconds that webhooks are given, and between two looks
 */
export async function keepUp(
  deps: { client: Client; db: DatabaseSync; onEvent(event: Event): void; log(line: string): void },
  { patience, signal }: { patience: number; signal: AbortSignal },
): Promise<void> {
  let before: Date | undefined
  for (; !signal.aborted; before = new Date(Date.now() - patience)) {
    await catchUp(deps, { before, signal }).catch((error) => {
      if (!signal.aborted) deps.log(`Events could not be caught up with: ${error.message}`)
    })
    await sleep(patience, undefined, { signal }).catch(() => {})
  }
}
