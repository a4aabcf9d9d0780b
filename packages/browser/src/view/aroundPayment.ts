import type { Screen } from '../checkout/screen.ts'
import type { Messages } from '../locales/en.ts'
import type { Action, StatusContent } from './content/statusContent.ts'
import type { View } from './view.ts'

/** The additions of a payment link to the checkout of its payments. */
export type AroundPayment = {
  /** English messages. */
  readonly messages: Partial<Messages>
  /** The way back to the choice of amount and network; null: something may be under way, or there is no choice. */
  change(shown: Screen & { name: 'pay' }, view: View): Action | null
  /** The actions of a screen at which the payment is over. */
  end(ending: Partial<StatusContent>, view: View): Partial<StatusContent>
}
