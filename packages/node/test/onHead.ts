import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'

const channels = {
  fetch: 'undici:request:headers',
  'node:http': 'http.client.response.finish',
} as const

/** Calls back after the head of an answer has come to a client of this process, and what came with it was read. */
export function onHead(client: keyof typeof channels, then: () => void): void {
  const listener = () => void setImmediate(then)
  subscribe(channels[client], listener)
  onTestFinished(() => void unsubscribe(channels[client], listener))
}
