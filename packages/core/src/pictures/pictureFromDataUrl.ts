import { invalidBody } from '../http/httpError.ts'
import type { Picture } from './pictureOf.ts'

/**
 * The picture in a request.
 * @param dataUrl in the schema's form
 * @param path of the picture's property
 * @param check returns a sentence about the fault, without its subject
 * @throws {HttpError} `invalid_body`
 */
export function pictureFromDataUrl(
  dataUrl: string,
  path: string,
  check: (content: Uint8Array) => Picture | string,
): Picture {
  const refuse = (message: string) => invalidBody([{ path, message }])
  const content = fromBase64(dataUrl.slice(dataUrl.indexOf(',') + 1))
  if (!content) throw refuse('is not valid base64')
  const picture = check(content)
  if (typeof picture === 'string') throw refuse(picture.replace(/\.$/, ''))
  return picture
}

/** @returns null for truncated base64; `atob` fills in its missing end */
function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null
  const decoded = atob(text)
  const bytes = new Uint8Array(decoded.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = decoded.charCodeAt(at)
  return bytes
}
