import type { Mode } from '@payment-intents/contract'
import { type PaymentIntentsError, rejected } from '../errors/paymentIntentsError.ts'
import { environment } from './environment.ts'

/** The service's URL, and the key that calls carry. */
export type Connection = {
  readonly apiKey: string
  readonly baseUrl: string
}

type ConnectionOptions = { readonly apiKey?: unknown; readonly baseUrl?: unknown }

/**
 * Validates the passed options at once. Each call reads missing options from the environment, and throws if they are
 * not set there: a build loads the module that creates the client, and has no key.
 *
 * @returns a function that throws PaymentIntentsError `api_key_missing`, or `invalid_body` without a base URL
 * @throws PaymentIntentsError `api_key_invalid` or `invalid_body`
 */
export function connection(options: ConnectionOptions): () => Connection {
  const resolve = (): Connection | PaymentIntentsError => {
    const apiKey = options.apiKey ?? environment('PAYMENT_INTENTS_API_KEY')
    const baseUrl = options.baseUrl ?? environment('PAYMENT_INTENTS_BASE_URL')
    if (!isMissing(apiKey)) checkApiKey(apiKey)
    const key = isMissing(apiKey) ? undefined : String(apiKey)
    const url = isMissing(baseUrl) ? undefined : checkBaseUrl(baseUrl, key)
    if (key === undefined) return keyMissing()
    if (url === undefined) return baseUrlMissing()
    return { apiKey: key, baseUrl: url }
  }
  let target = resolve()
  return () => {
    if (target instanceof Error) target = resolve()
    if (target instanceof Error) throw target
    return target
  }
}

/** Undefined for a key of an unknown format. */
export function modeOfKey(apiKey: string): Mode | undefined {
  if (apiKey.startsWith('sk_test_')) return 'testnet'
  return apiKey.startsWith('sk_live_') ? 'mainnet' : undefined
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === ''
}

function keyMissing(): PaymentIntentsError {
  return rejected(
    'api_key_missing',
    'The API key is missing. Pass apiKey to createClient, or set PAYMENT_INTENTS_API_KEY.',
  )
}

function baseUrlMissing(): PaymentIntentsError {
  return refuse(
    'is missing: pass it to createClient, or set PAYMENT_INTENTS_BASE_URL, to the address of the service',
  )
}

function refuse(problem: string): PaymentIntentsError {
  return rejected('invalid_body', `baseUrl ${problem}.`, [{ path: 'baseUrl', message: problem }])
}

function checkApiKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || !key.startsWith('sk_')) {
    throw rejected(
      'api_key_invalid',
      'Not an API key: API keys start with `sk_`. Pass a secret key of your merchant account.',
    )
  }
  if (!/^[!-~]+$/.test(key)) {
    throw rejected(
      'api_key_invalid',
      'The API key holds a space, a line break or a character that HTTP cannot carry. Copy it again, without quotes.',
    )
  }
}

/** @param apiKey undefined while it is missing */
function checkBaseUrl(baseUrl: unknown, apiKey: string | undefined): string {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw refuse('must be an http or https address, like https://pay.example.com')
  }
  if (url.username || url.password || url.search || url.hash) {
    throw refuse('must hold no user, password, query or fragment')
  }
  // A key of an unknown format may be a live key.
  const isSecret = apiKey !== undefined && !apiKey.startsWith('sk_test_')
  if (isSecret && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse(
      'must begin with https, or the API key could be read on its way. Plain http is for localhost, and elsewhere for sk_test_ keys alone',
    )
  }
  return url.href.replace(/\/+$/, '')
}

/** @param hostname as normalised by `URL` */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}
