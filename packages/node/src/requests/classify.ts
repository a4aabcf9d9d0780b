import { errorCode, redact, redactBody, redactCause } from '@payment-intents/contract/redact'
import { isRecord } from '../errors/isRecord.ts'
import {
  type ErrorFacts,
  hint,
  type Issue,
  isServiceCode,
  PaymentIntentsError,
  type ServiceErrorCode,
} from '../errors/paymentIntentsError.ts'
import type { HttpResponse, Outcome, StreamedResponse } from './request.ts'
import { type Failure, type Idempotency, isRetryable } from './retry.ts'

export type Context = {
  readonly apiKey: string
  readonly baseUrl: string
  /** undefined for a call that is not `keyed`. */
  readonly idempotencyKey: string | undefined
  readonly idempotency: Idempotency
  /** Requests sent so far. */
  readonly attempts: number
}

type Verdict =
  | {
      readonly type: 'fulfilled'
      readonly body: unknown
      readonly headers: HttpResponse['headers']
    }
  | { readonly type: 'streamed'; readonly response: StreamedResponse }
  | { readonly type: 'failed'; readonly error: PaymentIntentsError; readonly failure: Failure }

/** Any outcome but an abort. */
type SettledOutcome = Exclude<Outcome, { type: 'aborted' }>

type Problem = Pick<ErrorFacts, 'code' | 'message' | 'cause' | 'reason' | 'issues' | 'body'>

/**
 * Classifies the outcome of one attempt.
 *
 * @param limit the attempt's timeout in milliseconds
 * @param issuesOf validates the JSON of a successful response; undefined: it is not JSON
 */
export function classify(
  outcome: SettledOutcome,
  context: Context,
  limit: number,
  issuesOf: (body: unknown) => readonly Issue[],
): Verdict {
  if (outcome.type !== 'responded') return failed(context, missingResponse(outcome, context, limit))
  const { response } = outcome
  if (response.status < 200 || response.status > 299) {
    return failed(context, refusal(response, context), response)
  }
  if (response.stream)
    return { type: 'streamed', response: { ...response, stream: response.stream } }
  const body = parse(response.text)
  const issues = issuesOf(body)
  if (issues.length > 0) return failed(context, misshapen(response, context, issues), response)
  return { type: 'fulfilled', body, headers: response.headers }
}

/** The error of a call that was aborted by its signal. */
export function abortedError(context: Context, reason: unknown): PaymentIntentsError {
  const { attempts } = context
  const sent =
    attempts === 0 ? 'before anything was sent' : `after ${count(attempts)}; ${remark(context)}`
  const { idempotencyKey } = context
  const message = `The call was aborted by its signal ${sent}.`
  return new PaymentIntentsError({
    ...{ code: 'aborted', message, attempts, idempotencyKey },
    cause: redactCause(reason, context.apiKey),
  })
}

/** The error of a streamed response that ended before it was complete. */
export function brokenOffError(
  outcome: Extract<SettledOutcome, { type: 'failed' | 'timed_out' }>,
  response: HttpResponse,
  context: Context,
  limit: number,
): PaymentIntentsError {
  const { baseUrl, apiKey } = context
  const advice = `The text so far is incomplete; ${retryAdvice(context)}`
  if (outcome.type === 'timed_out') {
    const message = `${baseUrl} sent nothing for ${Math.round(limit)} ms in the middle of its response. ${advice}. Or raise timeout.`
    return failed(context, { code: 'timeout', message }, response).error
  }
  const cause = redactCause(outcome.error, apiKey)
  const detail = redact(errorCode(outcome.error) ?? cause?.message ?? 'unknown cause', apiKey)
  const message = `${baseUrl} broke off in the middle of its response (${detail}). ${advice}.`
  return failed(context, { code: 'network_error', message, cause }, response).error
}

function failed(
  context: Context,
  problem: Problem,
  response?: HttpResponse,
): Verdict & { type: 'failed' } {
  const { apiKey, attempts, idempotencyKey, idempotency } = context
  const { status, headers } = response ?? {}
  const failure = { code: problem.code, status, headers, idempotency }
  const requestId = response && requestIdOf(response, context)
  const error = new PaymentIntentsError({
    ...problem,
    message: redact(problem.message, apiKey) + (requestId ? ` (request ${requestId})` : ''),
    status,
    requestId,
    attempts,
    retryable: isRetryable(failure),
    idempotencyKey,
  })
  return { type: 'failed', error, failure }
}

function missingResponse(
  outcome: Exclude<SettledOutcome, { type: 'responded' }>,
  context: Context,
  limit: number,
): Problem {
  const { apiKey, attempts, baseUrl } = context
  if (outcome.type === 'timed_out') {
    const wait = `within ${Math.round(limit)} ms`
    const message = `${baseUrl} sent no complete response ${wait}, ${tries(attempts)}; ${remark(context)}. Or raise timeout or deadline.`
    return { code: 'timeout', message }
  }
  const cause = redactCause(outcome.error, apiKey)
  const detail = redact(errorCode(outcome.error) ?? cause?.message ?? 'unknown cause', apiKey)
  const message = `${baseUrl} could not be reached, or broke off (${detail}), ${tries(attempts)}. Check baseUrl and that the service is up; ${retryAdvice(context)}.`
  return { code: 'network_error', message, cause }
}

/** The problem in a non-2xx response of the service or of a proxy. */
function refusal(response: HttpResponse, context: Context): Problem {
  const body = redactBody(parseOrKeep(response.text), context.apiKey)
  const fields = isRecord(body) ? body : {}
  const code = codeOf(response.status, fields.error)
  const issues = Array.isArray(fields.issues) ? fields.issues.filter(isIssue) : []
  const reason = typeof fields.reason === 'string' ? fields.reason : undefined
  const serviceMessage = typeof fields.message === 'string' ? ` ${sentence(fields.message)}` : ''
  const advice =
    code === 'unexpected_status'
      ? serviceMessage + explainStatus(response, context, fields.error)
      : serviceMessage + additionalAdvice(serviceMessage, code, context)
  const list = issues.map(({ path, message }) => `${path || 'body'}: ${message}`).join('; ')
  const message = `${response.status} ${code}${reason ? ` (${reason})` : ''}:${advice}${list ? ` Issues: ${list}.` : ''}`
  return { code, message, issues, reason, body }
}

function codeOf(status: number, error: unknown): ServiceErrorCode | 'unexpected_status' {
  if (isServiceCode(error)) return error
  return status === 429 ? 'rate_limited' : 'unexpected_status'
}

/** A proxy, or another version of the service, may end its message without a full stop. */
function sentence(message: string): string {
  const text = message.trim()
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}

function additionalAdvice(
  serviceMessage: string,
  code: ServiceErrorCode,
  context: Context,
): string {
  const advice = advise(code, context)
  return serviceMessage.includes(advice) ? '' : ` ${advice}`
}

function advise(code: ServiceErrorCode, context: Context): string {
  if (code === 'not_found' && /\/v1$/.test(context.baseUrl)) {
    return 'Leave `/v1` out of baseUrl: the client adds it.'
  }
  // The hint mentions an idempotency key.
  const unkeyed = code === 'internal_error' && context.idempotency !== 'keyed'
  return unkeyed ? `The server failed; ${retryAdvice(context)}.` : hint(code)
}

function explainStatus(response: HttpResponse, context: Context, error: unknown): string {
  const { apiKey, baseUrl } = context
  const type = redact(response.headers.get('content-type') ?? 'no content type', apiKey)
  if (response.status >= 300 && response.status <= 399) {
    return ` ${baseUrl} redirects. The client does not follow, since that would send the API key elsewhere. Set baseUrl to the final address.`
  }
  if (error === 'method_not_allowed') {
    return ` The service refuses this method (${error}). Check the path of baseUrl, and that client and server have matching versions.`
  }
  const caution = response.status >= 500 && context.idempotency === 'unsafe' ? `; ${lookFirst}` : ''
  return ` The response is not from the service (${type}). Check baseUrl, ${baseUrl}, and any proxy in between${caution}.`
}

function misshapen(response: HttpResponse, context: Context, issues: readonly Issue[]): Problem {
  const list = issues
    .map(({ path, message }) => (path ? `${path}: ${message}` : `the body ${message}`))
    .join('; ')
  const message = `${context.baseUrl} sent a ${response.status} whose body does not match the API: ${list}. Check baseUrl, and that client and server have matching versions; ${retryAdvice(context)}.`
  return {
    code: 'invalid_response',
    message,
    issues,
    body: redactBody(parseOrKeep(response.text), context.apiKey),
  }
}

/** An idempotent call can be repeated whether or not it took effect. */
function remark(context: Context): string {
  const caution = context.idempotency === 'keyed' ? 'it may have taken effect, and ' : ''
  return caution + retryAdvice(context)
}

const lookFirst = 'it may have taken effect, so look before you repeat it'

function retryAdvice({ idempotencyKey, idempotency }: Context): string {
  if (idempotency === 'unsafe') return lookFirst
  return idempotency === 'idempotent'
    ? 'repeating it is safe'
    : `repeating it with idempotencyKey '${idempotencyKey}' is safe`
}

function tries(attempts: number): string {
  return `in ${count(attempts)}`
}

function count(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`
}

/** The request id that the service assigned, which its logs contain. */
export function requestIdOf(response: HttpResponse, { apiKey }: Context): string | undefined {
  const requestId = response.headers.get('x-request-id')
  return requestId === null ? undefined : redact(requestId, apiKey)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseOrKeep(text: string): unknown {
  const body = parse(text)
  return body === undefined ? text : body
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && typeof value.path === 'string' && typeof value.message === 'string'
}
