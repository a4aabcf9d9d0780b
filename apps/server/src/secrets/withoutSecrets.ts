/** A text of a stranger's, such as a URL, in which a merchant or a page may have put a secret by mistake. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(
    /(_secret_|_x402_|\bsk_(?:test|live)_)\w+|(\bwhsec_)[\w%+/=-]+|(\/checkout\/h\/)[\w-]+/g,
    '$1$2$3…',
  )
}
