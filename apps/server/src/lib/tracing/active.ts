import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'

/** The span that the running code is a part of. */
const storage = new AsyncLocalStorage<Context>()

export function runWithin<Result>(span: Span, work: () => Result): Result {
  return storage.run(trace.setSpan(ROOT_CONTEXT, span), work)
}

/** The context of the running code; null: no span, or an ended span. */
export function activeContext(): Context | null {
  const active = storage.getStore()
  return active && trace.getSpan(active)?.isRecording() ? active : null
}
