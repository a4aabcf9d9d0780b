import { pickLanguage } from '../locales/pickLanguage.ts'
import { bundledLoaders } from '../open/bundledLoaders.ts'
import { messagesTimeoutMs } from '../open/openWith.ts'
import { make } from '../shell/make.ts'
import { mountStyles } from '../shell/mountStyles.ts'
import { createTranslator } from '../view/content/translator.ts'

/** Uses the colours of the server's markup. */
const styles = `
.rest h2 { font-size: 17px; font-weight: 600 }
.rest button { justify-self: start; margin-top: 12px; padding: 12px 20px; border: 0; border-radius: 13px; background: var(--ink); color: var(--paper); font: inherit; font-weight: 600; cursor: pointer }
`

/**
 * Returns a notice, inside the server's markup, that the service does not respond, with a button that retries at once. The first screen of
 * the checkout removes it.
 */
export function createAway(page: Element | null, locale: string | undefined) {
  let box: HTMLElement | undefined
  const button = make('button', { type: 'button' })

  async function show() {
    const [language, tag] = pickLanguage(locale)
    const loading =
      language === 'en'
        ? null
        : bundledLoaders
            .messages(language, location.origin, AbortSignal.timeout(messagesTimeoutMs))
            .catch(() => null)
    const messages = await loading
    const { t } = createTranslator(messages, messages ? tag : 'en')
    const title = t(navigator.onLine ? 'unreachable.title' : 'offline.title')
    button.append(t('retry'))
    box?.append(make('h2', { role: 'alert' }, title), make('p', {}, t('trying')), button)
    if (!messages) box?.setAttribute('lang', 'en')
  }

  return (retry: () => void) => {
    button.onclick = () => {
      // The checkout takes the focus.
      button.blur()
      retry()
    }
    if (box) return
    box = make('div', { class: 'rest' })
    page?.querySelector('.rest')?.replaceWith(box)
    mountStyles(document, styles)
    void show()
  }
}
