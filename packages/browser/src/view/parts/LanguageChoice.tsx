import type { Language } from '../checkoutLanguage.ts'
import { h } from './h.ts'

/** A list of the languages, each in its own words. */
export function LanguageChoice({
  view: { t, language, languages, chooseLanguage },
}: {
  view: Language
}) {
  return (
    <select
      class="language"
      aria-label={t('language')}
      onchange={async ({ target }) => {
        const select = target as HTMLSelectElement
        // The previous language if the chosen language cannot be loaded.
        select.value = await chooseLanguage(select.value)
      }}
    >
      {languages.map((choice) => (
        <option key={choice} value={choice} lang={choice} selected={choice === language}>
          {nameOf(choice)}
        </option>
      ))}
    </select>
  )
}

function nameOf(language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
