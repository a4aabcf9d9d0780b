import type { Connection } from '../rpc/rpcConnection.ts'

/** New blocks, announced by a WebSocket if a provider offers one. */
export type Heads = {
  /** Waits for the next block, but at most `pollMs`, or three times that with a socket. */
  next(pollMs: number, signal: AbortSignal): Promise<void>
  /** Closes the subscription until the next wait. */
  pause(): void
}

type HeadsOptions = {
  readonly chainId: number
  readonly connections: readonly Connection[]
  readonly now: () => number
  readonly random: () => number
  readonly log: { warn(fields: object, message: string): void }
}

const longestBackoffMs = 30_000
/** The factor of the maximum wait with a socket: a socket can break without an event, and a block is announced once. */
const patience = 3

export function createHeads(options: HeadsOptions): Heads {
  const { now, random, log } = options
  const sources = options.connections.filter(({ watchHeads }) => watchHeads !== null)
  let source: { type: 'closed' } | { type: 'opening' } | { type: 'open'; stop: () => void } = {
    type: 'closed',
  }
  // Invariant: whatever ends the subscription raises this number, so that a subscription that is still opening ends, too.
  let generation = 0
  let failures = 0
  let backoffUntil = 0
  let missed = false
  let wake = () => {}

  async function open(): Promise<void> {
    const connection = sources[failures % sources.length]
    if (!connection?.watchHeads || source.type !== 'closed' || backoffUntil > now()) return
    generation += 1
    const mine = generation
    source = { type: 'opening' }
    const down = (error: Error) => {
      if (mine !== generation) return
      close()
      backoffUntil = now() + Math.min(longestBackoffMs, 500 * 2 ** failures) * (0.5 + random() / 2)
      failures += 1
      const fields = { chain_id: options.chainId, provider: connection.host, reason: error.message }
      log.warn(fields, 'the WebSocket sends no new heads; the server polls')
      wake()
    }
    const head = () => {
      if (mine !== generation) return
      failures = 0
      missed = true
      wake()
    }
    try {
      const stop = await connection.watchHeads({ head, down })
      if (mine === generation) source = { type: 'open', stop }
      else stop()
    } catch (error) {
      down(error as Error)
    }
  }

  function close(): void {
    generation += 1
    if (source.type === 'open') source.stop()
    source = { type: 'closed' }
  }

  return {
    async next(pollMs, signal) {
      void open()
      if (missed || signal.aborted) {
        missed = false
        return
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const timer = setTimeout(resolve, source.type === 'open' ? patience * pollMs : pollMs)
      signal.addEventListener('abort', wake, { once: true })
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      missed = false
    },
    pause() {
      close()
      missed = false
    },
  }
}
