import { Agent, Pool } from 'undici'
import { type Guard, portOf } from './webhookGuard.ts'

/** Connects to addresses that the guard allows. */
export function guardedAgent(
  guard: Guard,
  { timeoutMs, ...options }: Agent.Options & { timeoutMs: number },
): Agent {
  return new Agent({
    ...options,
    // The guard's decision depends on the port, which a lookup does not receive.
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: { lookup: guard.lookup(portOf(new URL(origin))) as never, timeout: timeoutMs },
      }),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}
