import type { Messages } from '../locales/en.ts'
import type { AroundPayment } from '../view/aroundPayment.ts'
import type { Action } from '../view/content/statusContent.ts'
import type { LinkStore } from './linkStore.ts'

type Options = {
  link: LinkStore
  messages: Partial<Messages>
  /** The choices that the link leaves to the payer. */
  choice: () => 'amount' | 'network' | 'both' | null
  /** Back to the step, for the same payment. */
  change: () => void
  /** Back to the step, for another payment. */
  startNext: () => void
}

/** The ways from the checkout of a link's payment back to its step. */
export function aroundLink(options: Options): AroundPayment {
  const { link, messages, choice, change, startNext } = options
  /** Whether the link was read after its payment: an older state may offer a payment that the link no longer takes. */
  let state: 'unread' | 'reading' | 'read' = 'unread'

  async function read() {
    state = 'reading'
    await link.resolve('step')
    state = 'read'
  }

  return {
    messages,
    change({ intent, openRequest }, { t }) {
      const kind = choice()
      if (!kind || openRequest !== 'none' || intent.amount_received_units > 0) return null
      return { label: t(`link.change.${kind}`), run: change }
    },
    end(ending, { shown, t }) {
      const { actions = [] } = ending
      if (shown.name === 'paid') {
        if (state === 'unread') void read()
        if (state !== 'read' || link.read().link?.status !== 'open') return ending
        return {
          ...ending,
          actions: [...actions, { label: t('link.again'), run: startNext, quiet: true }],
        }
      }
      const isOver =
        shown.name === 'not_found' ||
        ((shown.name === 'expired' || shown.name === 'canceled') && shown.lastPayment === 'unknown')
      if (!isOver) return ending
      const start: Action = { label: t('link.restart'), run: change }
      const others = actions.map((action) => ({ ...action, quiet: true as const }))
      return { ...ending, actions: [ending.ending ? { ...start, quiet: true } : start, ...others] }
    },
  }
}
