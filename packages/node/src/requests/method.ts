import {
  type Endpoint,
  nothing,
  type Page,
  type ParametersOf,
  type ResponseOf,
} from '@payment-intents/contract'
import type { CallOptions, Limits, ReadOptions } from '../options/clientOptions.ts'
import { type List, list } from './list.ts'
import { bodyOf, pathId, queryOf, responseIssuesOf } from './parameters.ts'
import type { Call, Send } from './send.ts'

/** An endpoint of the table as a function of the client. */
type Method<E extends Endpoint> = (
  ...args: [
    ...(E extends { readonly object: string } ? [id: string] : []),
    ...ParameterArguments<E>,
    options?: E['idempotency'] extends 'keyed' ? CallOptions : ReadOptions,
  ]
) => ResponseOf<E> extends Page<infer Item> ? List<Item> : Promise<ResponseOf<E>>

type ParameterArguments<E extends Endpoint> =
  ParametersOf<E> extends Readonly<Record<string, never>>
    ? []
    : E extends { readonly body: object; readonly isBodyOptional?: never }
      ? [params: ParametersOf<E>]
      : [params?: ParametersOf<E>]

/** Settings of an endpoint that the table does not contain. */
type Extras = Pick<Call, 'complete' | 'defaultKey'> & { readonly limits?: Limits }

/** Makes a method from an endpoint. It never throws: any error rejects its promise. */
export function method<const E extends Endpoint>(
  send: Send,
  endpoint: E,
  { limits, ...extras }: Extras = {},
): Method<E> {
  const { object, query, body = query, cursor }: Endpoint = endpoint
  const takesParameters = body !== undefined && body !== nothing
  const call = (...args: unknown[]) => {
    const id = object && args.shift()
    const params = takesParameters ? args.shift() : undefined
    const request = (startingAfter?: string) =>
      send(
        () => ({ ...callOf(endpoint, id, params, startingAfter), ...extras }),
        args[0] as CallOptions | undefined,
        limits,
      )
    return cursor
      ? list(async (startingAfter) => (await request(startingAfter)) as Page<object>, cursor)
      : request()
  }
  return call as unknown as Method<E>
}

/** An endpoint of the table that streams, as a function of the client. */
type StreamMethod<E extends Endpoint> = (
  params: ParametersOf<E>,
  options?: ReadOptions,
) => AsyncIterable<string>

/** Makes a method from an endpoint that streams. Each iteration sends a request, and throws any error. */
export function streamMethod<const E extends Endpoint>(send: Send, endpoint: E): StreamMethod<E> {
  return (params, options) => ({
    async *[Symbol.asyncIterator]() {
      const text = await send(() => callOf(endpoint, undefined, params, undefined), options)
      yield* text as AsyncGenerator<string>
    },
  })
}

/** @throws PaymentIntentsError `invalid_body` for a wrong id or wrong parameters */
function callOf(
  { method, path, object, query, body, isBodyOptional, response, idempotency, streams }: Endpoint,
  id: unknown,
  params: unknown,
  startingAfter: string | undefined,
): Call {
  const omitsBody = params === undefined && isBodyOptional
  return {
    method,
    path:
      (object ? path.replace('{id}', pathId(id)) : path) +
      (query ? queryOf(query, params, startingAfter) : ''),
    ...(body && !omitsBody ? { body: bodyOf(body, params) } : {}),
    ...{ idempotency, streams },
    ...(query && 'wait' in query.shape ? { longPollMs: longPollMs(params) } : {}),
    issuesOf(value) {
      const type = streams ?? 'JSON'
      const isOther = streams !== undefined || value === undefined
      return isOther ? [{ path: '', message: `is not ${type}` }] : responseIssuesOf(response, value)
    },
  }
}

/** @param params fit their schema */
function longPollMs(params: unknown): number {
  const { wait = 0 } = Object(params) as { wait?: number }
  return wait * 1_000
}
