import { bundledLoaders } from '../open/bundledLoaders.ts'
import { openWith } from '../open/openWith.ts'
import type { CheckoutTheme } from '../options.ts'
import { mountStyles } from '../shell/mountStyles.ts'
import type { View } from '../view/view.ts'
import { applyBrand } from './applyBrand.ts'
import { createAway } from './createAway.ts'
import { endContent } from './endContent.tsx'
import type { HostedPage } from './hostedPage.ts'
import { openSession, type Session } from './openSession.ts'
import styles from './page.css?raw'
import { pageMessages } from './pageMessages.ts'
import { type Back, returnOf } from './returnOf.ts'

// The hosted page: `/checkout/#<client secret>`, `/checkout/h/<token>`, or `/checkout/<id>` with a session. The first two
// are exchanged for the third, which survives a reload. The secret is kept in memory only.

const summary = document.querySelector('main')
const container = document.querySelector<HTMLElement>('#checkout') ?? document.body
const asked = new URLSearchParams(location.search)

/** How long a payment that could be shown waits for the merchant's look, so that it does not change before the payer's eyes. */
const brandWaitMs = 1_000

/** How often a link was opened in this page; an exchange that ends late is for none but its own. */
let opened = 0

void start()

async function start(): Promise<void> {
  opened += 1
  const turn = opened
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
    const return_url = asked.get('return_url') ?? undefined
    const session = await openSession('/checkout', { client_secret, return_url })
    if (turn === opened) page.sign(session)
    return
  }
  if (!token && !path) return open(null, createPage('linkless'))
  const away = createAway(summary, asked.get('locale') ?? undefined)
  const session = await openSession(path ?? '/checkout', token ? { token } : null, away)
  if (turn !== opened) return
  const page = createPage(session ? 'opened' : token ? 'used' : 'linkless')
  page.sign(session)
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
    theme: (asked.get('theme') ?? undefined) as CheckoutTheme | undefined,
    locale: asked.get('locale') ?? undefined,
    container,
  }
  openWith(bundledLoaders, options, page)
}

/** @param opened `linkless`: without a link; `used`: with one that has been used or has expired */
function createPage(opened: 'opened' | 'linkless' | 'used') {
  let returnUrl: string | null | undefined
  let stays = false
  let styled: ShadowRoot | null | undefined
  /** When the screen that leads back was first seen. */
  let since = 0
  let readySince = 0
  let hasLook = opened === 'linkless'

  /** The way back to the shop from a screen at which the payment is over. */
  function backFrom(view: View): Back | null {
    const back = returnOf(view)
    return back && stays ? { ...back, afterMs: null } : back
  }

  /** The payer is not led back by itself. */
  function stay() {
    // What the payer did before the payment was over says nothing about this.
    if (since) stays = true
  }

  /** Shows the checkout in place of what the server drew. */
  function reveal() {
    if (!readySince || !(hasLook || Date.now() - readySince >= brandWaitMs)) return
    container.hidden = false
    summary?.remove()
  }

  function settleLook() {
    hasLook = true
    reveal()
  }

  const page = {
    messages: pageMessages,
    get returnUrl() {
      return returnUrl
    },
    end: (view) => endContent(view, backFrom(view), stay),
    missing({ t }) {
      if (opened === 'opened') return {}
      const key = opened === 'used' ? 'used_link' : 'no_link'
      return { title: t(`${key}.title`), text: t(`${key}.text`) }
    },
    /** The page has a session now, and an address that opens again. */
    sign(session: Session | null) {
      returnUrl = session?.return_url ?? null
      if (session?.brand) void applyBrand(session.brand).then(settleLook)
      else settleLook()
      if (!session) return
      asked.delete('return_url')
      const query = asked.toString()
      history.replaceState(null, '', `/checkout/${session.id}${query ? `?${query}` : ''}`)
    },
    drawn(view) {
      const { shown, state, merchant, t } = view
      if (merchant) document.title = t('dialog', { merchant })
      const root = container.lastElementChild?.shadowRoot
      if (root && root !== styled) mountStyles(root, styles)
      styled = root
      root?.querySelector('.body')?.setAttribute('role', 'main')
      if (shown.name !== 'loading' || state.trouble) {
        readySince ||= Date.now()
        reveal()
      }
      const back = backFrom(view)
      if (!back?.afterMs) {
        since = 0
        return
      }
      // Time in a background tab does not count.
      if (!since || document.hidden) since = Date.now()
      if (Date.now() - since > back.afterMs) {
        stays = true
        location.assign(back.href)
      }
    },
  } satisfies HostedPage & { sign: unknown }
  // Any input cancels the automatic return.
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, stay)
  return page
}

window.addEventListener('hashchange', () => location.hash && void start())
