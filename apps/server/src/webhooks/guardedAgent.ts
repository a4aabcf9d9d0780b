import { Agent, Pool } from 'undici'
import { type Guard, portOf } from './webhookGuard.ts'

/** Creates an agent that connects only to addresses that the guard allows. */
export function guardedAgent(
  guard: Guard,
  { timeoutMs, ...options }: Agent.Options & { timeoutMs: number },
): Agent {
  return new Agent({
    ...options,
    // The guard decides by port, which a lookup does not receive, so each origin has its own.
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: { lookup: guard.lookup(portOf(new URL(origin))) as never, timeout: timeoutMs },
      }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}
