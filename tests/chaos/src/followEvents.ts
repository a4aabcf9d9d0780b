import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from './trialClient.ts'

/** Reads a merchant's events with the cursor, as they come. */
export type Follower = {
  /** Stops, reads on to the last event, and returns the ids of all in the order in which they came. */
  readOn(): Promise<readonly string[]>
}

const pollMs = 500

export function followEvents(client: Client, apiKey: string): Follower {
  const ids: string[] = []
  const stopping = new AbortController()

  async function readToEnd(): Promise<void> {
    for (;;) {
      const last = ids.at(-1)
      const path = `/v1/events?limit=20${last ? `&starting_after=${last}` : ''}`
      const page: { data: { id: string }[]; has_more: boolean } = await client.read({
        ...{ method: 'GET', path, apiKey },
      })
      ids.push(...page.data.map(({ id }) => id))
      if (!page.has_more) return
    }
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await readToEnd()
      await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const following = follow()
  // Until `readOn` throws it.
  following.catch(() => {})
  return {
    async readOn() {
      stopping.abort()
      await following
      await readToEnd()
      return ids
    },
  }
}
