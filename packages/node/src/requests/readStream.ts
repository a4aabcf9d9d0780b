import type { Settings } from '../options/clientOptions.ts'
import { type Bounded, bounded } from './bounded.ts'
import { abortedError, brokenOffError, type Context } from './classify.ts'
import type { StreamedResponse } from './request.ts'

/** The next text of a response. */
type Piece = { readonly text: string; readonly isLast: boolean }

/**
 * Yields the text of a response as it arrives. The timeout applies to each piece as to the head. A response may have
 * any length; it throws if it ends before it is complete.
 *
 * @throws PaymentIntentsError and nothing else
 */
export async function* readStream(
  streamed: StreamedResponse,
  { timeout, signal }: Pick<Settings, 'timeout' | 'signal'>,
  context: Context,
): AsyncGenerator<string> {
  const { response, cut } = streamed.stream
  const readChunk = readerOf(response)
  const pieceOf = (outcome: Bounded<Piece>): Piece => {
    if (outcome.type === 'done') return outcome.result
    if (outcome.type === 'aborted') throw abortedError(context, signal?.reason)
    throw brokenOffError(outcome, streamed, context, timeout)
  }
  try {
    for (;;) {
      const { text, isLast } = pieceOf(await bounded(readChunk, { timeout, signal, cut }))
      if (text !== '') yield text
      if (isLast) return
    }
  } finally {
    cut()
  }
}

/** Test doubles have no stream, and are read as a whole. */
function readerOf(response: Response): () => Promise<Piece> {
  const { body } = response
  if (!body || !('getReader' in body)) {
    return async () => ({ text: await response.text(), isLast: true })
  }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  return async () => {
    const { done, value } = await reader.read()
    return { text: decoder.decode(value, { stream: !done }), isLast: done }
  }
}
