/** The tag if `Intl` takes it, else only the language. */
export function usable(tag: string): string {
  try {
    if (Intl.NumberFormat.supportedLocalesOf(tag).length > 0) return tag
  } catch {
    // Not a BCP 47 tag.
  }
  return tag.split('-')[0] ?? 'en'
}
