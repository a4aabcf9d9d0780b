import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'

const channels = {
  fetch: 'undici:request:headers',
  'node:http': 'http.client.response.finish',
} as const

/** Calls back once a client in this process has received an answer's head and read what came with it. */
export function onHead(client: keyof typeof channels, then: () => void): void {
  const listener = () => void setImmediate(then)
  subscribe(channels[client], listener)
  onTestFinished(() => void unsubscribe(channels[client], listener))
}
