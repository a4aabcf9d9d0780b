import type { Json } from './testServer.ts'
import type { Receiver } from './webhookReceiver.ts'

/** A span that a collector received. */
export type ReceivedSpan = {
  readonly traceId: string
  readonly id: string
  /** Empty at the root of a trace. */
  readonly parentId: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly name: string
  readonly failed: boolean
  readonly attributes: Json
  readonly resource: Json
}

const kinds = ['', 'internal', 'server', 'client'] as const

/** Reads the spans from OTLP/HTTP in JSON. @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function receivedSpans({ received }: Pick<Receiver, 'received'>): ReceivedSpan[] {
  return received
    .flatMap(({ body }) => JSON.parse(body).resourceSpans)
    .flatMap(({ resource, scopeSpans }: Json) =>
      scopeSpans
        .flatMap(({ spans }: Json) => spans)
        .map((span: Json) => ({
          traceId: span.traceId,
          id: span.spanId,
          parentId: span.parentSpanId ?? '',
          kind: kinds[span.kind],
          name: span.name,
          failed: span.status?.code === 2,
          attributes: valuesOf(span.attributes),
          resource: valuesOf(resource.attributes),
        })),
    )
}

function valuesOf(attributes: { key: string; value: Json }[]): Json {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[kind, content] = []] = Object.entries(value)
      return [key, kind === 'intValue' ? Number(content) : content]
    }),
  )
}
