import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { activeContext, runWithin } from './active.ts'
import type { Traced } from './traced.ts'

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }

export function tracedBy(tracer: Tracer): Traced {
  return async (start, work) => {
    const { name, kind, attributes } = start()
    const parent = activeContext() ?? ROOT_CONTEXT
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent)
    try {
      return await runWithin(span, () =>
        work((more, error) => {
          span.setAttributes(more)
          if (error !== undefined) setFailed(span, error)
        }),
      )
    } catch (error) {
      setFailed(span, errorType(error))
      throw error
    } finally {
      span.end()
    }
  }
}

export function setFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The type of an error, never its message: messages of PostgreSQL and providers repeat their input. */
export function errorType(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'Error')
}
