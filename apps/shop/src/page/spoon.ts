import { openServiceModal } from '@payment-intents/browser'
import type { Chain } from '../networks.ts'
import { products } from '../products.ts'
import { readChoices } from './choices.ts'
import { find, record } from './dom.ts'
import { placeOrder } from './placeOrder.ts'
import { shopLogo } from './shopLogo.ts'
import { type PlacedOrder, watchOrder } from './storedOrder.ts'

const api = find<HTMLMetaElement>('meta[name=payment-intents-api]')
const banner = find('#order')
const continueButton = find('#continue')
const link = find<HTMLAnchorElement>('#order a')
const product = products.find(({ id }) => id === 'spoon')
const sentences = {
  requires_payment: ['Your order waits for its payment.', 'payable'],
  pending_confirmations: ['Payment seen. It is being confirmed.', 'settled'],
  succeeded: ['Paid. Thank you!', 'settled'],
} as const
let ordering = false
let order: PlacedOrder | undefined

for (const button of document.querySelectorAll<HTMLElement>('[data-lane]')) {
  button.addEventListener('click', () => buy(button.dataset.lane === 'manual' ? 'manual' : 'sdk'))
}
continueButton.addEventListener('click', openCheckout)
/** Shows an order that was placed before the page was loaded, until its checkout is opened here. */
const stopWatching = watchOrder((watched) => {
  order = watched
  sayStatus(watched.status ?? 'requires_payment')
})

async function buy(lane: 'sdk' | 'manual'): Promise<void> {
  if (ordering || !product) return
  ordering = true
  try {
    const network = document.querySelector<HTMLSelectElement>('#network')
    order = await placeOrder(product, lane, network?.value as Chain | undefined)
    sayStatus('requires_payment')
    openCheckout()
  } catch {
    order = undefined
    say('We could not start the payment. Nothing was charged; please try again.', 'wrong')
  } finally {
    ordering = false
  }
}

function openCheckout(): void {
  if (!order) return
  stopWatching()
  openServiceModal({
    clientSecret: order.clientSecret,
    merchantName: 'Hollow Hill',
    baseUrl: api.content,
    appearance: { logo: shopLogo },
    ...readChoices(),
    onPending(payment) {
      record('onPending', payment)
      sayStatus('pending_confirmations')
    },
    onSuccess(payment) {
      record('onSuccess', payment)
      sayStatus('succeeded')
    },
    onError: (error) => record('onError', error),
    onClose: () => record('onClose'),
  })
}

function sayStatus(status: keyof typeof sentences): void {
  const [sentence, state] = sentences[status]
  say(sentence, state)
}

function say(sentence: string, state: 'payable' | 'settled' | 'wrong'): void {
  banner.hidden = false
  banner.classList.toggle('wrong', state === 'wrong')
  find('#order p').textContent = sentence
  continueButton.hidden = state !== 'payable'
  link.hidden = !order
  if (order) link.href = `/orders/${order.id}`
}
