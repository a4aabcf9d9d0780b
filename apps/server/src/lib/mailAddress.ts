/**
 * An address as HTML defines it: RFC 5322 without quotes, comments and line breaks, so that it is one address in any context.
 */
const mailAddress =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

/** Whether a mail can be sent to it. */
export function isMailAddress(text: string): boolean {
  return text.length <= 254 && mailAddress.test(text)
}

/** Converts a text to the value of a header: one line, without control characters. */
export function headerText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim()
}
