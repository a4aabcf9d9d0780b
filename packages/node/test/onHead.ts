import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

const channel = 'http.client.response.finish'

/** Calls back once `node:http` in this process has received an answer's head of this status and read what came with it. */
export function onHead(status: number, then: () => void): void {
  const listener = (message: unknown) => {
    const { response } = message as { response: IncomingMessage }
    if (response.statusCode === status) setImmediate(then)
  }
  subscribe(channel, listener)
  onTestFinished(() => void unsubscribe(channel, listener))
}
