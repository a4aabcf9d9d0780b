export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Waits for the first signal, which no longer ends the process by itself. Ignores later signals. */
export function firstSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}
