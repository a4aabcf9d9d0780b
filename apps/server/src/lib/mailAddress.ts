/** HTML's form of an address: RFC 5322 without quotes, comments and line breaks. It is one address in any context. */
const mailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

export function isMailAddress(text: string): boolean {
  return text.length <= 254 && mailAddress.test(text)
}

/** Converts a text to the value of a mail header: a single line without control characters. */
export function headerText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
}
