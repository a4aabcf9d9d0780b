import type { CheckoutTheme } from '@payment-intents/browser'

/** What the visitor wants of the checkout. */
export type Choices = {
  readonly theme: CheckoutTheme
  /** BCP 47 tag; the browser's language when there is none. */
  readonly locale: string | undefined
}

/** The choices of the moment, which `public/choices.js` keeps at the document's element. */
export function readChoices(): Choices {
  const { theme, locale } = document.documentElement.dataset
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    locale: locale || undefined,
  }
}
