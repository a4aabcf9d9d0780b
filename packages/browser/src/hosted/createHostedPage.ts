import { mountStyles } from '../shell/mountStyles.ts'
import type { StatusContent } from '../view/content/statusContent.ts'
import type { View } from '../view/view.ts'
import { applyBrand, type Brand } from './applyBrand.ts'
import { endContent } from './endContent.tsx'
import type { HostedPage } from './hostedPage.ts'
import styles from './page.css?raw'
import { pageMessages } from './pageMessages.ts'
import { type Back, returnOf } from './returnOf.ts'

type Options = {
  /** The markup that the server drew. */
  summary: Element | null
  /** The element that the checkout is mounted in. */
  container: HTMLElement
  /** Whether the page waits for the merchant's look. */
  waitsForLook: boolean
  missing: (view: View) => Partial<StatusContent>
}

/** A hosted page whose return address and brand arrive with the service's response. */
export type CreatedPage = HostedPage & {
  /** Called with the service's response. */
  settle(from: { return_url: string | null; brand: Brand | null } | null): void
  /** Called after each drawing of the page. */
  dress(title: string, isReady: boolean): void
}

/** The longest that a loaded payment waits for the merchant's brand, so that its look does not change once it is shown. */
const brandWaitMs = 1_000

/** How the checkout differs from a modal when it is the whole page. */
export function createHostedPage({
  summary,
  container,
  waitsForLook,
  missing,
}: Options): CreatedPage {
  let returnUrl: string | null | undefined
  let stays = false
  let styled: ShadowRoot | null | undefined
  /** When the screen that leads back was first seen. */
  let since = 0
  let readySince = 0
  let hasLook = !waitsForLook

  /** The way back to the shop from a screen at which the payment is over. */
  function backFrom(view: View): Back | null {
    const back = returnOf(view)
    return back && stays ? { ...back, afterMs: null } : back
  }

  /** Cancels the automatic return. */
  function stay() {
    // The payer's actions before the payment was over do not matter here.
    if (since) stays = true
  }

  /** Shows the checkout in place of the server's markup. */
  function reveal() {
    if (!readySince || !(hasLook || Date.now() - readySince >= brandWaitMs)) return
    const isShown = !container.hidden
    container.hidden = false
    summary?.remove()
    // A hidden element could not take the focus.
    if (!isShown && !styled?.activeElement) {
      styled?.querySelector('h2')?.focus({ preventScroll: true })
    }
  }

  function settleLook() {
    hasLook = true
    reveal()
  }

  // Any input cancels the automatic return.
  for (const type of ['pointerdown', 'keydown']) document.addEventListener(type, stay)

  const page: CreatedPage = {
    messages: pageMessages,
    get returnUrl() {
      return returnUrl
    },
    missing,
    end: (view) => endContent(view, backFrom(view), stay),
    settle(from) {
      returnUrl = from?.return_url ?? null
      if (from?.brand) void applyBrand(from.brand).then(settleLook)
      else settleLook()
    },
    dress(title, isReady) {
      if (title) document.title = title
      const root = container.lastElementChild?.shadowRoot
      if (root && root !== styled) mountStyles(root, styles)
      styled = root
      root?.querySelector('.body')?.setAttribute('role', 'main')
      if (!isReady) return
      readySince ||= Date.now()
      reveal()
    },
    drawn(view) {
      const { shown, state, merchant, t } = view
      page.dress(merchant && t('dialog', { merchant }), shown.name !== 'loading' || !!state.outage)
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
  }
  return page
}
