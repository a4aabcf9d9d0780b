import type { CheckoutTheme } from '@payment-intents/browser'

/** The visitor's settings of the checkout. */
export type Choices = {
  readonly theme: CheckoutTheme
  /** BCP 47 tag; the browser's language if absent. */
  readonly locale: string | undefined
}

/** The current choices, which `public/choices.js` stores on the document element. */
export function readChoices(): Choices {
  const { theme, locale } = document.documentElement.dataset
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    locale: locale || undefined,
  }
}
