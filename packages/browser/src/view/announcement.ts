import { amountDue } from '../amount.ts'
import type { Screen } from '../screen.ts'
import { figure } from './figure.ts'
import { timeLeft, type View } from './view.ts'

/** What a screen reader says of a change; politely, so a sentence that stays the same is said once. */
export function announcement(shown: Screen, view: View): string {
  const { state, messages, merchant, amount } = view
  if (state.copied) return messages[`${state.copied}Copied`]
  if (state.trouble) return messages.trouble[state.trouble.cause]
  if (shown.name !== 'pay') {
    const { title, text } = figure(shown, view)
    return `${title}. ${text}`
  }
  const { intent } = shown
  return `${messages.dialog(merchant)}. ${amount(intent, amountDue(intent))} ${messages.on(intent.network.name)}`
}

/** Only at five minutes and at one: a countdown read out every second would drown all else. */
export function deadlineAnnouncement(shown: Screen, { messages, now }: View): string {
  if (shown.name !== 'pay' && shown.name !== 'wallet' && shown.name !== 'problem') return ''
  const minutes = timeLeft(shown.intent, now) / 60_000
  return minutes > 5 ? '' : messages.minutesLeft(minutes > 1 ? 5 : 1)
}
