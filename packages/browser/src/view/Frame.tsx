import type { HostedPage } from '../hosted/hostedPage.ts'
import type { Language } from './checkoutLanguage.ts'
import { h } from './parts/h.ts'
import { LanguageChoice } from './parts/LanguageChoice.tsx'
import type { VNode } from './parts/patch.ts'
import { Skeleton } from './parts/Skeleton.tsx'

/** The parts that surround every screen. */
export type FrameView = Language & {
  theme: 'light' | 'dark'
  logo: string | undefined
  /** The registered name; before the service responds, the page's. */
  merchant: string
  /** The page's name for the merchant; empty if it is the registered name. */
  called: string
  /** Set when the checkout is the whole page, which cannot be closed. */
  page: HostedPage | undefined
}

type Props = {
  view: FrameView
  screen: string
  detail: string
  isTest: boolean
  /** Why the service does not respond, shown over a screen that stays. */
  notice: string | false
  /** null: the payment loads. */
  content: VNode | null
  /** A new key restarts the animation. The shell's animation does not run again. */
  contentKey: string
  /** The live regions; unchanged text is not announced again. */
  announcements: readonly string[]
}

/** The dialog around a screen: the payee, the screen, the languages, and announcements. */
export function Frame({
  view,
  screen,
  detail,
  isTest,
  notice,
  content,
  contentKey,
  announcements,
}: Props) {
  const { t, merchant, called, theme, page, logo } = view
  return (
    <dialog
      class={theme}
      part="dialog"
      aria-label={merchant ? t('dialog', { merchant }) : t('nameless')}
    >
      <div class="sheet" data-screen={screen} data-detail={detail}>
        <div class="head">
          {logo ? (
            <img onerror={hide} class="logo" alt="" src={logo} />
          ) : (
            merchant && (
              <span class="monogram" aria-hidden="true">
                {[...merchant.trim()][0]}
              </span>
            )
          )}
          <span class="merchant">{merchant}</span>
          {isTest && <span class="pill">{t('test')}</span>}
          {!page && <button type="button" class="close" part="close" aria-label={t('close')} />}
        </div>
        {called && <p class="called">{t('called', { name: called })}</p>}
        {notice && <p class="note outage">{notice}</p>}
        <div key={contentKey} {...(content ? { class: 'body' } : {})}>
          {content ?? <Skeleton label={t('loading')} />}
        </div>
        {content && <LanguageChoice view={view} />}
        {announcements.map((text) => (
          <p class="unseen" role="status">
            {text}
          </p>
        ))}
      </div>
    </dialog>
  )
}

/** Hides a logo that cannot be loaded. The listener comes before `src`, which loads it. */
function hide({ target }: Event) {
  ;(target as HTMLElement).hidden = true
}
