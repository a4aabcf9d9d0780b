/**
 * A record of RFC 4180. A text that a spreadsheet would run as a formula begins with an apostrophe.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvRecord(fields: readonly (string | number | boolean | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}

function csvField(field: string | number | boolean | null): string {
  const text = field === null ? '' : String(field)
  const safe = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
