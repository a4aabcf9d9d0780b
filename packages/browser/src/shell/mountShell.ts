import type { OpenServiceModalOptions } from '../checkoutOptions.ts'
import type { HostedPage } from '../hosted/hostedPage.ts'
import { make } from './make.ts'
import { mountStyles } from './mountStyles.ts'
import css from './shell.css?raw'

type Options = OpenServiceModalOptions & {
  /** The chosen language, whose messages are not here yet. */
  language: string
  /** Set when the checkout is the whole page, which shows its own content until the modal is drawn. */
  page: HostedPage | undefined
  signal: AbortSignal
  close: () => void
}

export type Shell = {
  host: HTMLElement
  dialog: HTMLDialogElement
  closer: HTMLButtonElement
  theme: () => 'light' | 'dark'
  mountStyles: (root: ShadowRoot | Document, css: string) => () => void
  /** Shows something in place of the skeleton. */
  show: (title: HTMLElement, more: HTMLElement) => void
  /** Shows the skeleton. */
  wait: () => void
}

/**
 * The checkout's dialog with a skeleton in it, shown before anything is loaded; the modal then draws into it. When
 * the signal aborts, the dialog is removed.
 */
export function mountShell(options: Options): Shell {
  const { merchantName: name, theme, nonce, language, page, signal, close } = options
  const host = make('div', { lang: 'en', dir: language === 'ar' ? 'rtl' : 'ltr' })
  const root = host.attachShadow({ mode: 'open' })
  const themeNow = () =>
    theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
      ? 'dark'
      : 'light'
  const logo = options.appearance?.logo
  const body = make('div')
  const closer = make('button', {
    ...{ type: 'button', class: 'close', part: 'close', 'aria-label': 'Close' },
  })
  // The same elements that the modal draws while it loads the payment: the modal then reuses them, and keeps the focus.
  const dialog = make(
    'dialog',
    { part: 'dialog', class: themeNow(), 'aria-label': name },
    make(
      'div',
      { class: 'sheet', 'data-screen': 'loading' },
      make(
        'div',
        { class: 'head' },
        logo
          ? make('img', { class: 'logo', alt: '', src: logo })
          : make('span', { class: 'monogram', 'aria-hidden': 'true' }, [...name.trim()][0] ?? ''),
        make('span', { class: 'merchant' }, name),
        '',
        closer,
      ),
      ...['', '', body, status(), status(), status()],
    ),
  )

  /** Content that replaces the focused element takes the focus, at its heading. */
  function show(title: HTMLElement, more: HTMLElement) {
    body.replaceChildren(make('div', {}, title, more))
    if (!root.activeElement) title.focus()
  }

  function wait() {
    const bone = () => make('b')
    show(
      make('h2', { class: 'unseen', tabindex: '-1', autofocus: '' }, 'Loading your payment'),
      make('div', { class: 'bones', 'aria-hidden': 'true' }, bone(), bone(), bone(), bone()),
    )
  }

  const addStyles = (root: ShadowRoot | Document, text: string) => mountStyles(root, text, nonce)
  addStyles(root, css)
  root.append(dialog)
  ;(options.container ?? document.body).append(host)
  wait()
  // The modal replaces both.
  dialog.onclose = closer.onclick = close
  signal.addEventListener('abort', () => {
    // Closed before it is removed, since closing restores the focus.
    dialog.close()
    host.remove()
  })
  if (!page) dialog.showModal()
  return {
    ...{ host, dialog, closer, theme: themeNow },
    ...{ mountStyles: addStyles, show, wait },
  }
}

function status() {
  return make('p', { class: 'unseen', role: 'status' })
}
