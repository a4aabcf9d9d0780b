/** Without control characters, line breaks and those that change the direction of writing. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
}
