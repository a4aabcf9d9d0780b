import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'

/** Holds the span in which the current code runs. */
const storage = new AsyncLocalStorage<Context>()

export function runWithin<Result>(span: Span, work: () => Result): Result {
  return storage.run(trace.setSpan(ROOT_CONTEXT, span), work)
}

/** The context in which the current code runs; null: it has no span, or the span has ended. */
export function activeContext(): Context | null {
  const active = storage.getStore()
  return active && trace.getSpan(active)?.isRecording() ? active : null
}
