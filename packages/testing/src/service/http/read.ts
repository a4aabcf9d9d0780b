import { limits } from '@payment-intents/contract'
import { invalidBody, queryValue, readObject, refuseEncoded } from '@payment-intents/rules'

export type RequestBody = {
  readonly bytes: Uint8Array
  /** The header `Content-Type`. */
  readonly type: string | null
  /** The header `Content-Encoding`. */
  readonly encoding: string | null
}

/**
 * Parses the JSON object in a body.
 *
 * @param isOptional an empty body counts as `{}`
 * @throws {HttpError} `invalid_body`
 */
export function readBody(body: RequestBody, isOptional = false): Record<string, unknown> {
  const fault = (message: string) => invalidBody([{ path: '', message }])
  const { bytes, type } = body
  if (bytes.length === 0 && isOptional) return {}
  if (bytes.length > 0 && !/^application\/json *(;|$)/i.test(type ?? '')) {
    throw fault('the content type must be application/json')
  }
  refuseEncoded(body.encoding)
  if (bytes.length > limits.requestBytes) throw fault('the request body is larger than 64 KiB')
  return readObject(bytes).value
}

/** The body of a page's request: browsers send JSON as text to avoid a preflight request. */
export function readPageBody(body: RequestBody): Record<string, unknown> {
  const type = /^text\/plain\b/.test(body.type ?? '') ? 'application/json' : body.type
  return readBody({ ...body, type })
}

/**
 * Parses query parameters for their schema, with `metadata[…]` as an object.
 *
 * @throws {HttpError} `invalid_body` if one appears twice
 */
export function readQuery(search: URLSearchParams): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  const metadata: [string, string][] = []
  const seen = new Set<string>()
  for (const [name, text] of search) {
    if (seen.has(name)) throw invalidBody([{ path: name, message: 'appears twice' }])
    seen.add(name)
    const [, key] = /^metadata\[(.*)\]$/s.exec(name) ?? []
    if (key !== undefined) metadata.push([key, text])
    else query[name] = queryValue(name, text)
  }
  if (metadata.length > 0) query.metadata = Object.fromEntries(metadata)
  return query
}
