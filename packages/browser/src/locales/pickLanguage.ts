export const languages = 'en es pt fr de it ja ko zh hi ar tr'.split(' ')

/**
 * Picks the requested language, else the first of the browser's that is supported, else English; with the BCP
 * 47 tag that asks for it, which may be unusable: see `usable`.
 */
export function pickLanguage(requested?: string): [language: string, tag: string] {
  for (const tag of requested ? [requested] : navigator.languages) {
    const [language = ''] = tag.toLowerCase().split('-')
    if (languages.includes(language)) return [language, tag]
  }
  return ['en', 'en']
}
