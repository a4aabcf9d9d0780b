import { type Context, type Span, SpanKind, type Tracer } from '@opentelemetry/api'
import type pg from 'pg'
import { activeContext } from './active.ts'
import { errorType, setFailed } from './tracedBy.ts'

// biome-ignore lint/suspicious/noExplicitAny: `query` of pg has a dozen signatures
type Query = (...args: any[]) => any

/**
 * Traces each statement within a span as a span of its own. The span has the statement's name, never its text or
 * values. A statement for several requests belongs to the request that started it.
 */
export function traceStatements(pool: pg.Pool, tracer: Tracer): void {
  const instrumented = new WeakSet<object>()
  const traceOn = (target: { query: Query }) => {
    if (instrumented.has(target)) return
    instrumented.add(target)
    target.query = traceQuery(target.query.bind(target), tracer)
  }
  // Trace the pool's own `query`: the pool runs a waiting query in the context of the request that frees a connection.
  traceOn(pool)
  pool.on('acquire', traceOn)
}

function traceQuery(query: Query, tracer: Tracer): Query {
  return (...args) => {
    const parent = activeContext()
    // The pool's `query` is traced already; it calls a client's with a callback.
    if (!parent || typeof args.at(-1) === 'function') return query(...args)
    const span = startSpan(args[0], parent, tracer)
    return Promise.resolve(query(...args)).then(
      (result) => {
        span.end()
        return result
      },
      (error) => {
        setFailed(span, errorType(error))
        span.end()
        throw error
      },
    )
  }
}

function startSpan(
  statement: string | { name?: string; text: string },
  parent: Context,
  tracer: Tracer,
): Span {
  const { name, text } = typeof statement === 'string' ? { name: '', text: statement } : statement
  const [operation = ''] = /[a-z]+/i.exec(text) ?? []
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation.toUpperCase(),
    ...(name ? { 'db.query.summary': name } : {}),
  }
  return tracer.startSpan(
    name || operation.toUpperCase(),
    { kind: SpanKind.CLIENT, attributes },
    parent,
  )
}
