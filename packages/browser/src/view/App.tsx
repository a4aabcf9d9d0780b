import { screenDetail } from '../checkout/screen.ts'
import { announcement, deadlineAnnouncement } from './content/announcement.ts'
import { statusContent } from './content/statusContent.ts'
import { h } from './parts/h.ts'
import { LanguageChoice } from './parts/LanguageChoice.tsx'
import type { VNode } from './parts/patch.ts'
import { Skeleton } from './parts/Skeleton.tsx'
import { PayScreen } from './screens/PayScreen.tsx'
import { StatusScreen } from './screens/StatusScreen.tsx'
import type { View } from './view.ts'

/** The whole modal: a pure function of the view. */
export function App(view: View): VNode | null {
  const { t, shown, merchant, called, state, theme, page, logo } = view
  // A new key restarts the animation; `confirming` continues `sent` in place. The shell's is not animated anew.
  const content = shown.name === 'sent' ? 'confirming' : shown.name
  const isLoading = shown.name === 'loading' && !state.trouble
  return (
    <dialog
      class={theme}
      part="dialog"
      aria-label={merchant ? t('dialog', { merchant }) : t('nameless')}
    >
      <div class="sheet" data-screen={shown.name} data-detail={screenDetail(shown)}>
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
          {state.intent?.mode === 'testnet' && <span class="pill">{t('test')}</span>}
          {!page && <button type="button" class="close" part="close" aria-label={t('close')} />}
        </div>
        {called && <p class="called">{t('called', { name: called })}</p>}
        {state.trouble && shown.name !== 'loading' && (
          <p class="note trouble">{announcement(view)}</p>
        )}
        <div key={content} {...(isLoading ? {} : { class: 'body' })}>
          {shown.name === 'pay' ? (
            <PayScreen view={view} shown={shown} />
          ) : isLoading ? (
            <Skeleton label={t('loading')} />
          ) : (
            <StatusScreen view={view} content={statusContent(shown, view)} />
          )}
        </div>
        {!isLoading && <LanguageChoice view={view} />}
        <p class="unseen" role="status">
          {/* That it loads is the heading, which has the focus. */}
          {isLoading ? '' : announcement(view)}
        </p>
        <p class="unseen" role="status">
          {deadlineAnnouncement(view)}
        </p>
        <p class="unseen" role="status">
          {state.copied && t(`${state.copied}.copied`)}
        </p>
      </div>
    </dialog>
  )
}

/** A logo that cannot be loaded. The listener comes before `src`, which loads it. */
function hide({ target }: Event) {
  ;(target as HTMLElement).hidden = true
}
