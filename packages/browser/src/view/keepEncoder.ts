import type { QrPath, qrPath } from './qrPath.ts'

/** Loads the QR encoder. */
export type LoadQr = () => Promise<{ qrPath: typeof qrPath }>

/**
 * Loads the QR encoder when a code is first drawn, since who pays with a wallet needs none. A failure is left to the next
 * drawing.
 *
 * @param onLoaded is to draw again
 * @returns what draws a code; `null` until the encoder is loaded, or for an empty text
 */
export function keepEncoder(load: LoadQr, onLoaded: () => void): (text: string) => QrPath | null {
  let encode: typeof qrPath | null = null
  let isLoading = false

  async function start() {
    isLoading = true
    encode = await load().then(
      (loaded) => loaded.qrPath,
      () => null,
    )
    isLoading = false
    if (encode) onLoaded()
  }

  return (text) => {
    if (!encode && !isLoading) void start()
    return encode && text ? encode(text) : null
  }
}
