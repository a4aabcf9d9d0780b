import { openServiceModal } from '@payment-intents/browser'
import type { Chain } from '../networks.ts'
import { products } from '../products.ts'
import { readChoices } from './choices.ts'
import { find, record } from './dom.ts'
import { findOrder, type PlacedOrder } from './keptOrder.ts'
import { logo } from './logo.ts'
import { placeOrder } from './placeOrder.ts'

const api = find<HTMLMetaElement>('meta[name=payment-intents-api]')
const banner = find('#order')
const second = find('#continue')
const link = find<HTMLAnchorElement>('#order a')
const product = products.find(({ id }) => id === 'spoon')
let ordering = false
let order: PlacedOrder | undefined

for (const button of document.querySelectorAll<HTMLElement>('[data-lane]')) {
  button.addEventListener('click', () => buy(button.dataset.lane === 'manual' ? 'manual' : 'sdk'))
}
second.addEventListener('click', openCheckout)
void resume()

/** Offers to go on with an order that was placed before the page was loaded. */
async function resume(): Promise<void> {
  const result = await findOrder()
  if (!result || order) return
  order = result
  if (result.isSeen) say('Payment seen. It is being confirmed.', 'settled')
  else say('Your order waits for its payment.', 'payable')
}

async function buy(lane: 'sdk' | 'manual'): Promise<void> {
  if (ordering || !product) return
  ordering = true
  try {
    const network = document.querySelector<HTMLSelectElement>('#network')
    order = await placeOrder(product, lane, network?.value as Chain | undefined)
    say('Your order waits for its payment.', 'payable')
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
  openServiceModal({
    clientSecret: order.clientSecret,
    merchantName: 'Hollow Hill',
    baseUrl: api.content,
    appearance: { logo },
    ...readChoices(),
    onPending(payment) {
      record('onPending', payment)
      say('Payment seen. It is being confirmed.', 'settled')
    },
    onSuccess(payment) {
      record('onSuccess', payment)
      say('Paid. Thank you!', 'settled')
    },
    onError: (error) => record('onError', error),
    onClose: () => record('onClose'),
  })
}

function say(sentence: string, state: 'payable' | 'settled' | 'wrong'): void {
  banner.hidden = false
  banner.classList.toggle('wrong', state === 'wrong')
  find('#order p').textContent = sentence
  second.hidden = state !== 'payable'
  link.hidden = !order
  if (order) link.href = `/orders/${order.id}`
}
