import { Agent, Pool } from 'undici'
import { type Guard, portOf } from './webhookGuard.ts'

/** Connects to what the guard lets through. */
export function guardedAgent(
  guard: Guard,
  { timeoutMs, ...options }: Agent.Options & { timeoutMs: number },
): Agent {
  return new Agent({
    ...options,
    // What the guard lets through depends on the port, which a lookup is not given.
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: { lookup: guard.lookup(portOf(new URL(origin))) as never, timeout: timeoutMs },
      }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}
