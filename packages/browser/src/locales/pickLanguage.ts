export const languages = 'en es pt fr de it ja ko zh hi ar tr'.split(' ')

/**
 * Picks the requested language, else the browser's first supported language, else English; with the requested BCP 47 tag, which may be
 * unusable: see `usable`.
 */
export function pickLanguage(requested?: string): [language: string, tag: string] {
  for (const tag of requested ? [requested] : navigator.languages) {
    const [language = ''] = tag.toLowerCase().split('-')
    if (languages.includes(language)) return [language, tag]
  }
  return ['en', 'en']
}
