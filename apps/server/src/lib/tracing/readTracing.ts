/** The destination of traces. The libraries read OpenTelemetry's other variables themselves. */
export type TracingConfig = {
  readonly protocol: 'http/protobuf' | 'http/json'
  /** The collector's host and port, for the log. */
  readonly collector: string
}

type Env = Readonly<Record<string, string | undefined>>

const protocols = ['http/protobuf', 'http/json'] as const
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((sampler) => [
  sampler,
  `parentbased_${sampler}`,
])
const standardEndpoint = 'http://localhost:4318'

/**
 * Reads OpenTelemetry's variables. Platforms set them for every program, so an invalid variable is only a warning:
 * payments must not stop because traces cannot be sent.
 *
 * @returns `tracing` is null unless the variables turn traces on
 */
export function readTracing(env: Env): { tracing: TracingConfig | null; warnings: string[] } {
  const [endpointName, endpoint] = firstSet(
    env,
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  )
  const exporter = env.OTEL_TRACES_EXPORTER || (endpoint ? 'otlp' : 'none')
  if (/^true$/i.test(env.OTEL_SDK_DISABLED ?? '') || exporter === 'none') return off()
  if (exporter !== 'otlp') {
    return off(`OTEL_TRACES_EXPORTER: must be otlp or none, found ${JSON.stringify(exporter)}`)
  }
  const url = endpoint || standardEndpoint
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    // Do not print the URL: it may hold a password.
    return off(`${endpointName}: must be an http URL such as ${standardEndpoint}`)
  }
  const [protocolName, protocolText] = firstSet(
    env,
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
    'OTEL_EXPORTER_OTLP_PROTOCOL',
  )
  const protocol = protocols.find((candidate) => candidate === (protocolText || 'http/protobuf'))
  if (!protocol) {
    const shown = JSON.stringify(protocolText)
    return off(
      `${protocolName}: must be ${protocols.join(' or ')}, whose port is usually 4318, found ${shown}`,
    )
  }
  return { tracing: { protocol, collector: new URL(url).host }, warnings: samplerWarnings(env) }
}

function samplerWarnings(env: Env): string[] {
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = env
  if (sampler && !samplers.includes(sampler)) {
    const shown = JSON.stringify(sampler)
    return [
      `OTEL_TRACES_SAMPLER: must be one of ${samplers.join(', ')}, found ${shown}; every trace is kept`,
    ]
  }
  if (!sampler?.endsWith('traceidratio') || (ratio && Number(ratio) >= 0 && Number(ratio) <= 1)) {
    return []
  }
  const shown = ratio ? `found ${JSON.stringify(ratio)}` : 'it is not set'
  return [
    `OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, such as 0.1; ${shown}; every trace is kept`,
  ]
}

function off(why?: string) {
  return { tracing: null, warnings: why ? [`${why}; no traces are sent`] : [] }
}

function firstSet(env: Env, first: string, second: string): [string, string | undefined] {
  return env[first] ? [first, env[first]] : [second, env[second]]
}
