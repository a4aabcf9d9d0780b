import { limits } from '@payment-intents/contract'
import { pictureFromDataUrl } from './pictureFromDataUrl.ts'
import { type Picture, type PictureBounds, pictureOf } from './pictureOf.ts'

const bounds: PictureBounds = { side: limits.linkPictureSide, ratio: limits.linkPictureRatio }

/**
 * The picture of a payment link.
 * @param dataUrl in the schema's form
 * @throws {HttpError} `invalid_body`
 */
export function linkPicture(dataUrl: string): Picture {
  return pictureFromDataUrl(dataUrl, 'picture', (content) => pictureOf(content, bounds))
}
