import { isUnderpaid, priceDue } from '../amount.ts'
import { figure } from './figure.ts'
import { nearMisses } from './nearMisses.ts'
import { timeLeft, type View } from './view.ts'

/** What a screen reader says of a change; politely, so a sentence that stays the same is said once. */
export function announcement(view: View): string {
  const { shown, state, say, merchant, amount } = view
  if (state.trouble) {
    return say('titled', { title: say(`${state.trouble.cause}.title`), text: say('trying') })
  }
  if (shown.name !== 'pay') {
    const { title, text, more, hint } = figure(shown, view)
    // A sentence has its stop already.
    const isSentence = /[.。।]$/.test(text)
    const said =
      more && !isSentence
        ? say('titled', { title: text, text: more })
        : `${text} ${more || ''}`.trim()
    const rest = [said, hint].filter(Boolean).join(' ')
    return rest ? say('titled', { title, text: rest }) : title
  }
  const { intent } = shown
  const on = say('on', { network: intent.network.name })
  const received = amount(intent, BigInt(intent.amount_received_units))
  const part = isUnderpaid(intent) ? `${say('missing', { received })} ` : ''
  const asked = shown.wasAsked ? `${say('asked.before')} ` : ''
  const near = nearMisses(view, intent)
  const text = `${asked}${near && `${near} `}${part}${amount(intent, priceDue(intent))} ${on}`
  return say('titled', { title: say('dialog', { merchant }), text })
}

/** Only at five minutes and at one: a countdown read out every second would drown all else. */
export function deadlineAnnouncement({ shown, say, now }: View): string {
  if (!/^(pay|wallet|asked|problem|leaving)$/.test(shown.name) || !('intent' in shown)) return ''
  if (shown.name === 'leaving' && shown.sent) return ''
  const minutes = timeLeft(shown.intent, now) / 60_000
  return minutes > 5 ? '' : say(minutes > 1 ? 'five_minutes' : 'one_minute')
}
