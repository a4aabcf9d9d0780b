/**
 * A caller's text, such as a URL or a message that quotes it, with masks for secrets that they put there by mistake.
 */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(
      /(_secret_|_x402_|_link_|\bsk_(?:test|live)_)\w+|(\bwhsec_)[\w%+/=-]+|(\/checkout\/h\/)[\w-]+/g,
      '$1$2$3…',
    )
    .replaceAll(longToken, (word) => (isRandom(word) ? '…' : word))
}

/** Secrets have at least 192 random bits: 32 letters and digits. */
const longToken = /[\dA-Za-z]{32,}/g

/** Ids have no capitals; addresses, hashes and signatures are hexadecimal. */
function isRandom(word: string): boolean {
  const isHex = /^(?:0x)?[\da-f]+$/i.test(word)
  return !isHex && /[A-Z]/.test(word) && /[a-z]/.test(word) && /\d/.test(word)
}
