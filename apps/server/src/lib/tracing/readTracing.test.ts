import { expect, test } from 'vitest'
import { readTracing } from './readTracing.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hunter2@collector:4318/otlp' }

test('nothing is traced without the standard’s variables', () => {
  const off = { tracing: null, warnings: [] }
  expect(readTracing({})).toEqual(off)
  expect(readTracing({ OTEL_SERVICE_NAME: 'pay', OTEL_TRACES_SAMPLER: 'always_on' })).toEqual(off)
  expect(readTracing({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toEqual(off)
  expect(readTracing({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toEqual(off)
})

test('an endpoint, or the exporter alone, turns it on', () => {
  const on = { protocol: 'http/protobuf', collector: 'collector:4318' }
  expect(readTracing(endpoint)).toEqual({ tracing: on, warnings: [] })
  const tracesEndpoint = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/v1/traces',
  }
  expect(readTracing({ ...endpoint, ...tracesEndpoint }).tracing?.collector).toBe(
    'traces.example.com',
  )
  expect(readTracing({ OTEL_TRACES_EXPORTER: 'otlp' }).tracing?.collector).toBe('localhost:4318')
  const json = { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
  expect(readTracing(json).tracing?.protocol).toBe('http/json')
})

test('an invalid variable is a warning, without a password', () => {
  const cases: [Record<string, string>, string][] = [
    [
      { OTEL_TRACES_EXPORTER: 'jaeger' },
      'OTEL_TRACES_EXPORTER: must be otlp or none, found "jaeger"; no traces are sent',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'user:hunter2@collector' },
      'OTEL_EXPORTER_OTLP_ENDPOINT: must be an http URL such as http://localhost:4318; no traces are sent',
    ],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json, whose port is usually 4318, found "grpc"; no traces are sent',
    ],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: 'some' },
      'OTEL_TRACES_SAMPLER: must be one of always_on, parentbased_always_on, always_off, parentbased_always_off, traceidratio, parentbased_traceidratio, found "some"; every trace is kept',
    ],
    [
      { ...endpoint, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '10%' },
      'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, such as 0.1; found "10%"; every trace is kept',
    ],
  ]
  for (const [env, warning] of cases) expect(readTracing(env).warnings).toEqual([warning])
})
