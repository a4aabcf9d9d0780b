import { type OptionNames, optionIssues } from '@payment-intents/contract/options'
import { type Issue, rejected } from '../errors/paymentIntentsError.ts'
import type { Idempotency } from '../requests/retry.ts'
import type { CallOptions, ClientOptions, ReadOptions } from './clientOptions.ts'

const readOptions: OptionNames<ReadOptions> = {
  ...{ timeout: true, deadline: true, maxRetries: true, signal: true, headers: true },
  ...{ fetch: true, onRetry: true, logger: true },
}
const callOptions: OptionNames<CallOptions> = { idempotencyKey: true, ...readOptions }

export const clientOptions: OptionNames<ClientOptions> = {
  ...{ apiKey: true, baseUrl: true },
  ...readOptions,
}

/**
 * Rejects unknown names and anything but an object: an ignored option could create a second intent.
 *
 * @throws PaymentIntentsError `invalid_body`
 */
export function checkOptions(
  options: unknown,
  names: Readonly<Record<string, true>>,
  noun?: string,
): void {
  refuse(optionIssues(options, names, noun))
}

/** `checkOptions` for a call. @throws PaymentIntentsError `invalid_body` */
export function checkCallOptions(options: CallOptions | undefined, idempotency: Idempotency): void {
  if (options === undefined) return
  checkOptions(options, idempotency === 'keyed' ? callOptions : readOptions)
  // The caller usually meant an order id that is missing; a new key for each call would create a second intent.
  if (Object.hasOwn(options, 'idempotencyKey') && options.idempotencyKey === undefined) {
    refuse([{ path: 'idempotencyKey', message: keyUndefined }])
  }
}

/** All options of a call except `name`, including inherited options: a lost option could create a second refund. */
export function withoutOption(options: object, name: string): CallOptions {
  const names = new Set([...Object.keys(options), ...Object.keys(callOptions)])
  const others = [...names].filter((key) => key !== name && key in options)
  return Object.fromEntries(others.map((key) => [key, Reflect.get(options, key)]))
}

/** @throws PaymentIntentsError `invalid_body` if the headers hold an idempotency key, which the call's own replaces */
export function checkKeyHeader(headers: Headers): void {
  if (headers.has('idempotency-key')) refuse([{ path: 'headers', message: keyInHeaders }])
}

const keyUndefined =
  '`idempotencyKey` is undefined. Pass the key, or leave the option out for a new key at each call, which makes another intent.'
const keyInHeaders =
  'The header `Idempotency-Key` is replaced by a new key at each call: pass `idempotencyKey` instead.'

function refuse(issues: readonly Issue[]): void {
  if (issues.length === 0) return
  const sentences = issues.map(({ message }) => message).join(' ')
  throw rejected('invalid_body', `Nothing was sent. ${sentences}`, issues)
}
