import { WebhookVerificationError } from './verification/webhookVerificationError.ts'

/** Bytes; an event is a few thousand. */
export const bodyLimit = 1024 * 1024

/**
 * Reads a whole body. Reads a body that is too long to its end but discards it: a sender that is still writing would
 * see a reset connection instead of the response.
 *
 * @throws WebhookVerificationError `body_too_large`, or `body_unreadable` if the sender disconnected
 */
export async function readBody(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of stream) {
      length += chunk.length
      if (length <= bodyLimit) chunks.push(chunk)
      else chunks.length = 0
    }
  } catch {
    throw new WebhookVerificationError(
      'body_unreadable',
      'The request broke off before its body was complete. The service delivers it again.',
    )
  }
  if (length > bodyLimit) throw bodyTooLarge()
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body
}

export function bodyTooLarge(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_too_large',
    `The body is longer than ${bodyLimit} bytes: the request is not from the payment service.`,
  )
}
