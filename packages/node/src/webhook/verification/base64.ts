/**
 * Decodes canonical base64 (RFC 4648, section 4), or returns undefined. `atob` alone ignores white space and the unused
 * bits of the last character, so that two texts could decode to the same bytes.
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text)
    if (btoa(binary) !== text) return undefined
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
