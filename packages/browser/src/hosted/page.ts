import type { CheckoutTheme } from '../checkoutOptions.ts'
import { bundledLoaders } from '../open/bundledLoaders.ts'
import { openWith } from '../open/openWith.ts'
import { createAway } from './createAway.ts'
import { type CreatedPage, createHostedPage } from './createHostedPage.ts'
import type { HostedPage } from './hostedPage.ts'
import { openSession, type Session } from './openSession.ts'

// The hosted page: `/checkout/#<client secret>`, `/checkout/h/<token>`, or `/checkout/<id>` with a session. The page exchanges the first
// two for the third, which survives a reload, and keeps the secret in memory only.

const summary = document.querySelector('main')
const container = document.querySelector<HTMLElement>('#checkout') ?? document.body
const parameters = new URLSearchParams(location.search)

/** How often a link was opened in this page; an exchange that ends late counts only for its own link. */
let opened = 0

void start()

async function start(): Promise<void> {
  opened += 1
  const previous = opened
  const { hash, pathname, search } = location
  const [, token] = /^\/checkout\/h\/([\w-]+)/.exec(pathname) ?? []
  const [path] = /^\/checkout\/pi_\w+/.exec(pathname) ?? []
  if (hash.length > 1) {
    // The page is drawn in the look of the payment in its path.
    if (path) return location.replace(`/checkout/${search}${hash}`)
    const client_secret = hash.slice(1)
    history.replaceState(null, '', pathname + search)
    const page = createPage('opened')
    open(client_secret, page)
    const return_url = parameters.get('return_url') ?? undefined
    const session = await openSession('/checkout', { client_secret, return_url })
    if (previous === opened) applySession(page, session)
    return
  }
  if (!token && !path) return open(null, createPage('linkless'))
  const away = createAway(summary, parameters.get('locale') ?? undefined)
  const session = await openSession(path ?? '/checkout', token ? { token } : null, away)
  if (previous !== opened) return
  const page = createPage(session ? 'opened' : token ? 'used' : 'linkless')
  applySession(page, session)
  open(session?.client_secret ?? null, page)
}

function open(clientSecret: string | null, page: HostedPage): void {
  // Until there is something to show, the page is as the server drew it.
  container.hidden = true
  const options = {
    clientSecret: clientSecret ?? '-',
    // The service names the merchant.
    merchantName: '-',
    baseUrl: location.origin,
    theme: (parameters.get('theme') ?? undefined) as CheckoutTheme | undefined,
    locale: parameters.get('locale') ?? undefined,
    container,
  }
  openWith(bundledLoaders, options, page)
}

/** @param opened `linkless`: without a link; `used`: with a link that has been used or has expired */
function createPage(opened: 'opened' | 'linkless' | 'used'): CreatedPage {
  return createHostedPage({
    ...{ summary, container },
    waitsForLook: opened !== 'linkless',
    missing({ t }) {
      if (opened === 'opened') return {}
      const key = opened === 'used' ? 'used_link' : 'no_link'
      return { title: t(`${key}.title`), text: t(`${key}.text`) }
    },
  })
}

/** Passes the session to the page, and changes the address to a path that survives a reload. */
function applySession(page: CreatedPage, session: Session | null): void {
  page.settle(session)
  if (!session) return
  parameters.delete('return_url')
  const query = parameters.toString()
  history.replaceState(null, '', `/checkout/${session.id}${query ? `?${query}` : ''}`)
}

window.addEventListener('hashchange', () => location.hash && void start())
