import { limits } from '@payment-intents/contract'
import { invalidBody } from '../http/httpError.ts'
import { type Picture, pictureOf } from './pictureOf.ts'

const bounds = { side: limits.linkPictureSide, ratio: limits.linkPictureRatio }

/**
 * The picture of a payment link.
 *
 * @param dataUrl of the schema's form
 * @throws {HttpError} `invalid_body`
 */
export function linkPicture(dataUrl: string): Picture {
  const content = fromBase64(dataUrl.slice(dataUrl.indexOf(',') + 1))
  if (!content) throw refuse('is not valid base64')
  const picture = pictureOf(content, bounds)
  if (typeof picture === 'string') throw refuse(picture.replace(/\.$/, ''))
  return picture
}

function refuse(message: string) {
  return invalidBody([{ path: 'picture', message }])
}

/** @returns null for base64 that was cut; `atob` fills in what is missing at its end */
function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null
  const decoded = atob(text)
  const bytes = new Uint8Array(decoded.length)
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = decoded.charCodeAt(at)
  return bytes
}
