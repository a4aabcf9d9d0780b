import { errorTable, issueMessage, limits, type Mode } from '@payment-intents/contract'
import type { Service } from '../service.ts'
import { HttpError, invalidBody, type SchemaError, toIssues } from './httpError.ts'
import type { JsonBody } from './json.ts'

// Shared by the server and the test kit. Each reader throws an HttpError.

/** The API key of an `Authorization` header. */
export function bearerKey(authorization: string | null | undefined): string {
  const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (key) return key
  throw new HttpError(
    'api_key_missing',
    'The request has no API key. Send the header `Authorization: Bearer <API key>` from your backend.',
  )
}

/** The error for a key that no merchant of the service has. It says no more than the key's own text does. */
export function invalidApiKey(
  key: string,
  { confirmations }: Pick<Service, 'confirmations'>,
): HttpError {
  const follows = (mode: Mode) => Object.keys(confirmations(mode)).length > 0
  if (key.startsWith('sk_live_') && !follows('mainnet') && follows('testnet')) {
    const message = 'A live key does not work on a test server. Use a test key, sk_test_…, here.'
    return new HttpError('api_key_invalid', message)
  }
  if (key.startsWith('sk_test_') && !follows('testnet') && follows('mainnet')) {
    const message = 'A test key does not work on a live server. Use a live key, sk_live_…, here.'
    return new HttpError('api_key_invalid', message)
  }
  const message = `The API key is not valid. ${errorTable.api_key_invalid.hint}`
  return new HttpError('api_key_invalid', message)
}

/** An `Idempotency-Key` header; null without the header. */
export function idempotencyKey(header: unknown): string | null {
  if (header === undefined || header === null) return null
  if (typeof header === 'string' && /^[ -~]{1,255}$/.test(header)) return header
  const message = 'must be 1 to 255 printable ASCII characters'
  throw invalidBody([{ path: 'Idempotency-Key', message }])
}

/** @param contentEncoding the header: no body is decompressed */
export function refuseEncoded(contentEncoding: string | null | undefined): void {
  if (!contentEncoding || /^\s*identity\s*$/i.test(contentEncoding)) return
  const message = 'the body is compressed: send it as it is, without the header Content-Encoding'
  throw invalidBody([{ path: '', message }])
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The JSON object in a body, and its text. */
export function readObject(bytes: Uint8Array): { value: Record<string, unknown>; source: string } {
  const fault = (message: string) => invalidBody([{ path: '', message }])
  if (bytes.length === 0) throw fault('the body must be a JSON object, and is empty')
  let source: string
  try {
    source = utf8.decode(bytes)
  } catch {
    throw fault('the body is not UTF-8')
  }
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    throw fault(`the body is not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fault('the body must be a JSON object')
  }
  return { value: value as Record<string, unknown>, source }
}

/** The metadata of a request as sent; responses return it unchanged. */
export function metadataOf({ source }: { readonly source: JsonBody }): string {
  const metadata = source.textOf('metadata') ?? '{}'
  checkMetadata(source.value.metadata, metadata)
  return metadata
}

/** @param text the metadata as JSON text, as stored */
function checkMetadata(metadata: unknown, text: string): void {
  const refuse = (message: string) => invalidBody([{ path: 'metadata', message }])
  // A character of JavaScript has at most three bytes in UTF-8.
  const isShort = text.length * 3 <= limits.metadataBytes
  if (!isShort && new TextEncoder().encode(text).length > limits.metadataBytes)
    throw refuse('must be at most 16 KiB as JSON')
  if (depthOf(metadata) > limits.metadataDepth) throw refuse('is nested deeper than 8 levels')
}

/** The nesting depth of a parsed value; 0 for a scalar. Not recursive: input is hostile. */
export function depthOf(value: unknown): number {
  let level = [value]
  for (let depth = 0; ; depth += 1) {
    level = level.filter((item) => typeof item === 'object' && item !== null)
    if (level.length === 0) return depth
    level = level.flatMap((item) => Object.values(item as object))
  }
}

const integer = (text: string) => (/^\d{1,16}$/.test(text) ? Number(text) : text)
const boolean = (text: string) => (/^(true|false)$/.test(text) ? text === 'true' : text)
const readers = new Map<string, (text: string) => unknown>([
  ['limit', integer],
  ['wait', integer],
  ['amount_units', integer],
  ['matched', boolean],
  ['active', boolean],
])

/** The value that the text of a query parameter represents. The schema refuses other text. */
export function queryValue(name: string, text: string): unknown {
  return readers.get(name)?.(text) ?? text
}

type Schema<Output> = {
  safeParse(
    value: unknown,
    options: { error: typeof issueMessage },
  ): { success: true; data: Output } | { success: false; error: SchemaError }
}

/** A value that fits its schema. */
export function parse<Output>(schema: Schema<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value, { error: issueMessage })
  if (!parsed.success) throw invalidBody(toIssues(parsed.error))
  return parsed.data
}
