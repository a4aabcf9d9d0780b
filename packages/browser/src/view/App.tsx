import { screenDetail } from '../checkout/screen.ts'
import { announcement, deadlineAnnouncement } from './content/announcement.ts'
import { statusContent } from './content/statusContent.ts'
import { Frame } from './Frame.tsx'
import { h } from './parts/h.ts'
import type { VNode } from './parts/patch.ts'
import { PayScreen } from './screens/PayScreen.tsx'
import { StatusScreen } from './screens/StatusScreen.tsx'
import type { View } from './view.ts'

/** The whole modal: a pure function of the view. `pay` has a screen of its own; every other screen is a `StatusScreen` with its content. */
export function App(view: View): VNode | null {
  const { t, shown, state } = view
  const isLoading = shown.name === 'loading' && !state.outage
  // The heading, which has the focus, says that the payment loads.
  const announced = isLoading ? '' : announcement(view)
  return (
    <Frame
      view={view}
      screen={shown.name}
      detail={screenDetail(shown)}
      isTest={state.intent?.mode === 'testnet'}
      notice={!!state.outage && shown.name !== 'loading' && announced}
      // `confirming` continues `sent` in place.
      contentKey={shown.name === 'sent' ? 'confirming' : shown.name}
      content={
        shown.name === 'pay' ? (
          <PayScreen view={view} shown={shown} />
        ) : isLoading ? null : (
          <StatusScreen view={view} content={statusContent(shown, view)} />
        )
      }
      announcements={[
        announced,
        deadlineAnnouncement(view),
        state.copied ? t(`${state.copied}.copied`) : '',
      ]}
    />
  )
}
