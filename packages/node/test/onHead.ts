import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'

const channel = 'http.client.response.finish'

/** Calls back once `node:http` in this process has received a response of this status, and the data after its head. */
export function onHead(status: number, then: () => void): void {
  const listener = (message: unknown) => {
    const { response } = message as { response: IncomingMessage }
    if (response.statusCode === status) setImmediate(then)
  }
  subscribe(channel, listener)
  onTestFinished(() => void unsubscribe(channel, listener))
}
