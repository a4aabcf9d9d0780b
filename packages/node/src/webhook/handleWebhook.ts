import type { Event, Metadata } from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import type { RawBody } from './verification/rawBody.ts'
import type { WebhookHeaders } from './verification/signedHeaders.ts'
import {
  checkWebhookOptions,
  verify,
  type WebhookOptions,
  webhookOptions,
} from './verification/verifyWebhook.ts'
import {
  isWebhookVerificationError,
  type WebhookVerificationError,
  type WebhookVerificationErrorCode,
} from './verification/webhookVerificationError.ts'

/** Handles an event. The response is sent once it is done; the service retries the delivery if it throws or rejects. */
export type OnEvent<M = Metadata> = (event: Event<M>) => unknown

export type WebhookHandlerOptions = WebhookOptions & {
  /** `whsec_…`, or several during a rotation; `PAYMENT_INTENTS_WEBHOOK_SECRET` by default. */
  secret?: string | readonly string[] | undefined
  /** Receives the `WebhookVerificationError` or the handler's error if a delivery fails; `console.error` by default. */
  onError?: ((error: unknown) => unknown) | undefined
}

const handlerOptions: OptionNames<WebhookHandlerOptions> = {
  ...{ secret: true, onError: true },
  ...webhookOptions,
}

type WebhookResponse = {
  readonly status: 200 | 400 | 413 | 500
  /** JSON text. */
  readonly body: string
}

/** Configuration errors of the receiver: any other request would fail as well. */
const parserFaults: readonly WebhookVerificationErrorCode[] = [
  'body_not_raw',
  'secret_missing',
  'secret_invalid',
  'option_invalid',
  'unsupported_runtime',
]

/** @param rawBody the body, or a promise of it; a rejection is reported like any other error */
export type HandleWebhook = (rawBody: unknown, headers: WebhookHeaders) => Promise<WebhookResponse>

/**
 * Creates a function that verifies a delivery, passes its event on, and returns the response. It never rejects.
 *
 * @throws WebhookVerificationError `option_invalid` for an unknown option
 */
export function webhookReceiver<M>(
  onEvent: OnEvent<M>,
  options: WebhookHandlerOptions,
): HandleWebhook {
  checkWebhookOptions(options, handlerOptions)
  return (rawBody, headers) => handleWebhook(rawBody, headers, onEvent as OnEvent, options)
}

async function handleWebhook(
  rawBody: unknown,
  headers: WebhookHeaders,
  onEvent: OnEvent,
  options: WebhookHandlerOptions,
): Promise<WebhookResponse> {
  let event: Event
  try {
    const { secret } = options
    event = await verify((await rawBody) as RawBody, headers, secret, options)
  } catch (error) {
    report(error, options)
    return isWebhookVerificationError(error) ? refusal(error) : failure
  }
  try {
    await onEvent(event)
  } catch (error) {
    report(error, options)
    return failure
  }
  return { status: 200, body: '{"received":true}' }
}

/** A handler's error may contain anything, so it is only logged. */
const failure: WebhookResponse = { status: 500, body: '{"error":"handler_failed"}' }

function refusal({ code, message }: WebhookVerificationError): WebhookResponse {
  return { status: statusOf(code), body: JSON.stringify({ error: code, message }) }
}

function statusOf(code: WebhookVerificationErrorCode): WebhookResponse['status'] {
  if (code === 'body_too_large') return 413
  return parserFaults.includes(code) ? 500 : 400
}

/** Exceptions and rejections of `onError` must not change the response. */
function report(error: unknown, { onError = console.error }: WebhookHandlerOptions): void {
  try {
    Promise.resolve(onError(error)).catch(() => {})
  } catch {}
}
