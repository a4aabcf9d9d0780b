import type * as contract from '@payment-intents/contract'
import { type Endpoint, endpoints, type RequestOf } from '@payment-intents/contract'
import { parse } from '@payment-intents/rules'
import type { Answer } from './answer.ts'
import { type RequestBody, readBody, readQuery } from './read.ts'

/** The `operationId` of an endpoint of the test service: of all but those of webhooks. */
export type Operation = Exclude<contract.Operation, `${string}Webhook${string}` | 'redeliverEvent'>

export type Call = {
  /** The value of `{id}` in the path. */
  readonly id: string
  readonly search: URLSearchParams
  readonly headers: Headers
  readonly body: RequestBody
  readonly signal: AbortSignal
}

export type Route = {
  readonly operation: Operation
  /** @throws {HttpError} */
  answer(call: Call): Answer | Promise<Answer>
}

/** A route that parses its requests by the table of endpoints. */
export function route<Name extends Operation>(
  operation: Name,
  answer: (request: RequestOf<Name>) => Answer,
): Route {
  const { query, body, isBodyOptional }: Endpoint = endpoints[operation]
  return {
    operation,
    answer(call) {
      const parsed = {
        query: query && parse(query, readQuery(call.search)),
        body: body && parse(body, readBody(call.body, isBodyOptional)),
        id: call.id,
      }
      return answer(parsed as RequestOf<Name>)
    },
  }
}
