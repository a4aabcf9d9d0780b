/** Node's `request.headers`. */
export type NodeHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export function textOf(value: NodeHeaders[string]): string {
  return typeof value === 'string' ? value : ''
}

/** The part of Node's `ServerResponse` that shows whether the caller is still connected. */
export type Connection = { once(event: 'close', listener: () => void): unknown }

/** Aborts when the connection of a response closes; after the response is sent, too. */
export function disconnectSignal(response: Connection): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}
