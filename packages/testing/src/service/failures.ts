import {
  type ConflictReason,
  type ErrorCode,
  errorTable,
  type Operation,
} from '@payment-intents/contract'
import { conflict, HttpError, rateLimited } from '@payment-intents/core'
import { checkOptions } from '../lib/checkOptions.ts'
import type { HttpResponse } from './serveRequest.ts'

/** How the next requests fail. */
export type Failure = {
  /** The number of requests that fail; 1 by default. */
  times?: number
  /** Only requests of this `operationId` fail, or those to x402 links; any by default. */
  on?: Operation | 'x402'
} & (
  | { with: Exclude<ErrorCode, 'rate_limited' | 'conflict'> }
  | { with: 'rate_limited'; retry_after_seconds?: number }
  | { with: 'conflict'; reason?: ConflictReason }
  /**
   * `unreachable`: the connection fails before the request takes effect. `response_lost`: the request takes effect, and
   * the connection fails before the response. `hang`: no response. `garbage`: 200 with a body that is not JSON.
   * `bad_gateway`: a proxy's 502 page.
   */
  | { with: 'unreachable' | 'response_lost' | 'hang' | 'garbage' | 'bad_gateway' }
)

type FailureName = Failure extends infer Each ? (Each extends Each ? keyof Each : never) : never

const failureNames: Record<FailureName, true> = {
  ...{ with: true, on: true, times: true, reason: true, retry_after_seconds: true },
}

/** How a request fails. */
export type FailureOutcome = HttpError | HttpResponse | 'unreachable' | 'response_lost' | 'hang'

/** Queues planned failures. */
export function createFailures() {
  let planned: { remaining: number; failure: Failure }[] = []
  return {
    plan(failure: Failure): void {
      checkOptions('fail', failure, failureNames)
      planned.push({ remaining: failure.times ?? 1, failure })
    },
    /** Takes the failure of a request from the queue. */
    take(operation: Operation | 'x402'): FailureOutcome | null {
      const met = planned.find(({ failure }) => (failure.on ?? operation) === operation)
      if (!met) return null
      met.remaining -= 1
      planned = planned.filter(({ remaining }) => remaining > 0)
      return outcomeOf(met.failure)
    },
    clear(): void {
      planned = []
    },
  }
}

function outcomeOf(failure: Failure): FailureOutcome {
  switch (failure.with) {
    case 'unreachable':
    case 'response_lost':
    case 'hang':
      return failure.with
    case 'garbage':
      return page(200, '{"id":"pi_')
    case 'bad_gateway':
      return page(502, '<!doctype html><title>502 Bad Gateway</title>')
    case 'rate_limited':
      return rateLimited(failure.retry_after_seconds ?? 1)
    case 'conflict':
      return conflict(failure.reason ?? 'idempotency_key_in_flight', errorTable.conflict.hint)
    default:
      return new HttpError(failure.with, errorTable[failure.with].hint)
  }
}

function page(status: number, body: string): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body }
}
