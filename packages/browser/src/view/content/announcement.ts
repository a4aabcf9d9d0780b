import type { Screen } from '../../checkout/screen.ts'
import { remainingMs, type View } from '../view.ts'
import { payNotes } from './payNotes.ts'
import { statusContent } from './statusContent.ts'

/** Text of the live region; unchanged text is not announced again. */
export function announcement(view: View): string {
  const { shown, state, t, merchant, amount } = view
  if (state.outage) {
    return t('titled', { title: t(`${state.outage.cause}.title`), text: t('trying') })
  }
  if (shown.name !== 'pay') {
    const { title, text, more, hint } = statusContent(shown, view)
    // The text may already end with a stop.
    const isSentence = /[.。।]$/.test(text)
    const parts =
      more && !isSentence
        ? t('titled', { title: text, text: more })
        : `${text} ${more || ''}`.trim()
    const rest = [parts, hint].filter(Boolean).join(' ')
    // A title that goes on has no stop.
    if (title.endsWith('…')) return `${title} ${rest}`
    return rest ? t('titled', { title, text: rest }) : title
  }
  const { intent, units } = shown
  const on = t('on', { network: intent.network.name })
  const notes = payNotes(shown, view)
  const text = [...notes, `${amount(intent, units)} ${on}`].join(' ')
  return t('titled', { title: t('dialog', { merchant }), text })
}

/** Announces five minutes and one minute left; announcing every second would drown out the rest. */
export function deadlineAnnouncement({ shown, t, now }: View): string {
  const timed: readonly Screen['name'][] = ['pay', 'wallet', 'requested', 'problem', 'leaving']
  if (!timed.includes(shown.name) || !('intent' in shown)) return ''
  if (shown.name === 'leaving' && shown.sent) return ''
  const minutes = remainingMs(shown.intent, now) / 60_000
  return minutes > 5 ? '' : t(minutes > 1 ? 'five_minutes' : 'last_minute')
}
