import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tracer } from '@opentelemetry/api'
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import type { Logger } from 'pino'
import { userAgent } from '../../version.ts'
import type { TracingConfig } from './readTracing.ts'

const stopPatienceMs = 2_000
const name = 'payment-intents-server'

/**
 * The libraries read their `OTEL_*` variables themselves: headers, timeouts, certificates, samplers, limits and
 * batches. They send in the background. By default they hold at most 2,048 spans and drop further spans.
 */
export function openTracer(
  { protocol, collector }: TracingConfig,
  log: Pick<Logger, 'warn' | 'info'>,
): { tracer: Tracer; stop(): Promise<void> } {
  const exporter =
    protocol === 'http/json' ? new JsonExporter({ userAgent }) : new ProtobufExporter({ userAgent })
  const attributes = { 'service.name': name, 'service.instance.id': randomUUID() }
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(attributes))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reported(exporter, collector, log))],
  })
  return {
    tracer: provider.getTracer(name),
    async stop() {
      // Bound the time: a collector that does not respond would delay the end of the server.
      await Promise.race([provider.shutdown().catch(() => {}), sleep(stopPatienceMs)])
    },
  }
}

/** Logs once that traces are lost, and once that they arrive again. */
function reported(
  exporter: SpanExporter,
  collector: string,
  log: Pick<Logger, 'warn' | 'info'>,
): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code === ExportResultCode.FAILED
        if (failed && !isFailing) {
          const reason = result.error?.message || 'no response'
          log.warn(
            { collector, reason },
            'traces cannot be sent; they are dropped until the collector takes them',
          )
        }
        if (!failed && isFailing) log.info({ collector }, 'traces are sent again')
        isFailing = failed
        done(result)
      })
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
