import { amountDue } from '../amount.ts'
import { figure } from './figure.ts'
import { timeLeft, type View } from './view.ts'

/** What a screen reader says of a change; politely, so a sentence that stays the same is said once. */
export function announcement(view: View): string {
  const { shown, state, say, merchant, amount } = view
  if (state.copied) return say(`${state.copied}.copied`)
  if (state.trouble) {
    return say('titled', { title: say(`${state.trouble.cause}.title`), text: say('trying') })
  }
  if (shown.name !== 'pay') {
    const { title, text, more, hint } = figure(shown, view)
    const rest = [text, more, hint].filter(Boolean).join(' ')
    return rest ? say('titled', { title, text: rest }) : title
  }
  const { intent } = shown
  const on = say('on', { network: intent.network.name })
  const text = `${amount(intent, amountDue(intent))} ${on}`
  return say('titled', { title: say('dialog', { merchant }), text })
}

/** Only at five minutes and at one: a countdown read out every second would drown all else. */
export function deadlineAnnouncement({ shown, say, now }: View): string {
  if (shown.name !== 'pay' && shown.name !== 'wallet' && shown.name !== 'problem') return ''
  const minutes = timeLeft(shown.intent, now) / 60_000
  return minutes > 5 ? '' : say(minutes > 1 ? 'five_minutes' : 'one_minute')
}
