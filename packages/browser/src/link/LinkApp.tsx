import type { ResolvedPaymentLink } from '@payment-intents/contract'
import type { Intent } from '../service/parseIntent.ts'
import type { StatusContent } from '../view/content/statusContent.ts'
import { h } from '../view/parts/h.ts'
import type { View } from '../view/view.ts'
import { LinkStep, type LinkView } from './LinkStep.tsx'
import type { LinkScreen } from './linkState.ts'
import { faultText, refusalText } from './linkTexts.ts'
import { sharedParts } from './sharedParts.ts'

type Props = { view: LinkView; shown: LinkScreen; close: () => void }

/** The step of a payment link: a pure function of the view, in the frame of the checkout. */
export function LinkApp({ view, shown, close }: Props) {
  const { Frame, StatusScreen } = sharedParts
  const content = statusContent(view, shown, close)
  return Frame({
    view,
    screen: shown.name === 'open' ? 'link' : shown.name,
    detail: shown.name === 'closed' ? shown.why : '',
    isTest: view.state.link?.mode === 'testnet',
    notice: false,
    contentKey: `link-${shown.name}`,
    content:
      shown.name === 'open' ? (
        <LinkStep view={view} shown={shown} />
      ) : (
        content && <StatusScreen view={view as object as View} content={content} />
      ),
    announcements: [announcementOf(view, shown, content), '', ''],
  })
}

/** Text of the live region. */
function announcementOf(view: LinkView, shown: LinkScreen, content: StatusContent | null): string {
  const { t, state } = view
  if (content) return t('titled', { title: content.title, text: content.text })
  if (shown.name !== 'open') return ''
  if (state.isPaying) return t('loading')
  if (state.refusal) return refusalText(view, shown)
  const isFaulty = state.isChecked && typeof shown.units === 'string'
  return isFaulty ? faultText(view, shown, shown.units as Exclude<typeof shown.units, bigint>) : ''
}

function statusContent(view: LinkView, shown: LinkScreen, close: () => void): StatusContent | null {
  const { t, state, merchant, page, actions } = view
  const { Contact } = sharedParts
  if (shown.name === 'outage') {
    const title = t(`${shown.cause}.title`)
    return { title, text: t('trying'), actions: [{ label: t('retry'), run: actions.retry }] }
  }
  if (shown.name !== 'closed') return null
  const { why } = shown
  return {
    title: t(`link.${why}.title`),
    text: t(`link.${why}.text`, { merchant }),
    icon: ({ not_found: 'search', expired: 'clock', used_up: 'check', inactive: 'alert' } as const)[
      why
    ],
    ending: state.link && Contact({ view, intent: contactOf(state.link), isNamed: true }),
    ...(page ? { note: t('paid.leave') } : { actions: [{ label: t('close'), run: close }] }),
  }
}

/** A mail to the merchant names the link. */
function contactOf({ id, support }: ResolvedPaymentLink): Intent {
  return { id, support } as Intent
}
