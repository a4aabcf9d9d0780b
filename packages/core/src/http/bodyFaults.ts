import { type Endpoint, limits } from '@payment-intents/contract'
import { invalidBody } from './httpError.ts'
import { refuseEncoded } from './readRequest.ts'

/** Messages about an unreadable body. */
export const bodyFaults = {
  contentType: 'the content type must be application/json',
  tooLarge: (bytes: number) => `the request body is larger than ${bytes / 1024} KiB`,
} as const

/**
 * Refuses a body that is too large or whose headers do not say JSON.
 * @param headers.acceptsText pages send JSON as text, which needs no preflight
 * @param bodyBytes the endpoint's limit
 * @throws {HttpError} `invalid_body`
 */
export function checkBody(
  bytes: Uint8Array,
  headers: {
    readonly contentType: string | null
    readonly contentEncoding: string | null
    readonly acceptsText: boolean
  },
  { bodyBytes = limits.requestBytes }: Pick<Endpoint, 'bodyBytes'>,
): void {
  const fault = (message: string) => invalidBody([{ path: '', message }])
  const { contentType, contentEncoding, acceptsText } = headers
  const isJson = /^application\/json *(;|$)/i.test(contentType ?? '')
  const isText = acceptsText && /^text\/plain\b/i.test(contentType ?? '')
  if (bytes.length > 0 && !isJson && !isText) throw fault(bodyFaults.contentType)
  refuseEncoded(contentEncoding)
  if (bytes.length > bodyBytes) throw fault(bodyFaults.tooLarge(bodyBytes))
}
