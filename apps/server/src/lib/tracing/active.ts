import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api'

/** The span that the running code is a part of. */
const storage = new AsyncLocalStorage<Context>()

export function runWithin<Result>(span: Span, work: () => Result): Result {
  return storage.run(trace.setSpan(ROOT_CONTEXT, span), work)
}

/** null outside a span, also where code goes on that a span began which is over by now. */
export function activeContext(): Context | null {
  const active = storage.getStore()
  return active && trace.getSpan(active)?.isRecording() ? active : null
}
