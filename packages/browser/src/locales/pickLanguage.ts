const languages = ['en', 'es', 'pt', 'fr', 'de', 'it', 'ja', 'ko', 'zh', 'hi', 'ar', 'tr'] as const

export type Language = (typeof languages)[number]

/**
 * The language to speak: the one asked for, else the first of the browser's that there is, else English;
 * with the BCP 47 tag to write its numbers by.
 */
export function pickLanguage(asked?: string): { language: Language; tag: string } {
  for (const tag of asked ? [asked] : navigator.languages) {
    const language = languages.find((known) => known === tag.toLowerCase().split('-')[0])
    if (language) return { language, tag: isTag(tag) ? tag : language }
  }
  return { language: 'en', tag: 'en' }
}

function isTag(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    return false
  }
}
