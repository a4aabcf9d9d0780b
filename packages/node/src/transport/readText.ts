/** Bytes. The longest response of the service is a page of 100 items with 16 KiB of metadata each. */
export const responseLimit = 16 * 1024 * 1024

/** The service never sends this much; reading on could exhaust memory. */
export function tooLong(): Error {
  return new Error('its response is longer than 16 MiB')
}

/** Reads a whole body as text. Rejects if it is longer than `responseLimit`. */
export async function readText(body: ReadableStream<Uint8Array>): Promise<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let length = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > responseLimit) {
      reader.cancel().catch(() => {})
      throw tooLong()
    }
    text += decoder.decode(value, { stream: true })
  }
}
