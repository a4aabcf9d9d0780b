export type StopSignal = 'SIGINT' | 'SIGTERM'

/** Waits for the first signal. From the call on, no signal ends the process by itself; later signals are ignored. */
export function firstSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}
