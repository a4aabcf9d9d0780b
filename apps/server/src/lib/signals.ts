export type StopSignal = 'SIGINT' | 'SIGTERM'

/** From now on a signal does not end the process by itself. Later ones are ignored: one is enough. */
export function firstSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
  })
}
