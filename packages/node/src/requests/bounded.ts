/** The outcome of bounded work. */
export type Bounded<Result> =
  | { readonly type: 'done'; readonly result: Result }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'timed_out' }
  | { readonly type: 'aborted' }

type Bounds = {
  /** Milliseconds. */
  readonly timeout: number
  readonly signal: AbortSignal | undefined
  /** Ends the work, which nobody awaits any more. */
  readonly cut: () => void
}

/** Awaits work for a limited time, or until a signal. Never rejects; ends in time even if the work ignores `cut`. */
export function bounded<Result>(
  work: () => Promise<Result>,
  { timeout, signal, cut }: Bounds,
): Promise<Bounded<Result>> {
  return new Promise((resolve) => {
    const settle = (outcome: Bounded<Result>) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(outcome)
    }
    const end = (type: 'timed_out' | 'aborted') => {
      settle({ type })
      cut()
    }
    const abort = () => end('aborted')
    const timer = setTimeout(() => end('timed_out'), timeout)
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort)
    work().then(
      (result) => settle({ type: 'done', result }),
      (error) => settle({ type: 'failed', error }),
    )
  })
}
