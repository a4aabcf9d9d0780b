/**
 * A record of RFC 4180. A text that a spreadsheet would run as a formula gets a leading apostrophe; a number is
 * unchanged.
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvRecord(fields: readonly (string | number | boolean | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}

/**
 * Where a formula may start a cell: at the start of a text, and after a semicolon, tab or line break, where Excel of a
 * European locale splits without regard to quotes within a cell. Full-width signs count in an East Asian locale.
 */
const beforeFormula = /(?<=^|[;\t\r\n])(?=[\s\p{C}"]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gu

function csvField(field: string | number | boolean | null): string {
  if (typeof field !== 'string') return String(field ?? '')
  const safe = field.replace(beforeFormula, "'")
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
