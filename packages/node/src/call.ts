import {
  type Endpoint,
  endpoints,
  type Operation,
  type ParametersOf,
} from '@payment-intents/contract'
import type { CallOptions, Limits } from './options.ts'
import { bodyOf, issuesOf, pathId, type Schema } from './parameters.ts'
import type { Call, Send } from './send.ts'

/** What the caller passes to an operation. */
type Given<Name extends Operation> = {
  readonly id?: string
  readonly params?: ParametersOf<Name> | undefined
  /** The schema of the answer, where it is not that of the table. */
  readonly answer?: Schema
  readonly complete?: Call['complete']
  readonly limits?: Limits
}

/**
 * Calls an operation as the table of endpoints describes it.
 *
 * @throws PaymentIntentsError
 */
export async function call<Name extends Operation, Answer>(
  send: Send,
  operation: Name,
  given: Given<Name>,
  options?: CallOptions,
): Promise<Answer> {
  return (await send(() => callOf(operation, given), options, given.limits)) as Answer
}

function callOf<Name extends Operation>(operation: Name, given: Given<Name>): Call {
  const { body, isBodyOptional, ...endpoint }: Endpoint = endpoints[operation]
  const { params, answer = endpoint.answer, complete } = given
  const isLeftOut = params === undefined && isBodyOptional
  return {
    ...requestOf(operation, given),
    ...(body && !isLeftOut ? { body: bodyOf(body, params) } : {}),
    issuesOf: (value) => issuesOf(answer, value),
    ...(complete && { complete }),
  }
}

/** Method and path of a request. @throws PaymentIntentsError `invalid_body` for a malformed id */
export function requestOf(
  operation: Operation,
  { id }: { readonly id?: string },
): Pick<Call, 'method' | 'path' | 'repeat'> {
  const { method, path, object, repeat }: Endpoint = endpoints[operation]
  return { method, path: object ? path.replace('{id}', pathId(id)) : path, repeat }
}
