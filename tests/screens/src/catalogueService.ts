import { atWallets } from './cataloguePay.ts'
import type { Entry } from './entry.ts'
import { hang } from './scriptedWallet.ts'

/** The service fails in a way while the payer chooses. */
function outage(how: 'unreachable' | 'busy' | 'faulty') {
  const walk: Entry['walk'] = async ({ open, reach, serviceIs }) => {
    await open()
    await reach('pay')
    await serviceIs(how)
  }
  const mend: Entry['walk'] = ({ serviceIs }) => serviceIs('well')
  return {
    ...atWallets,
    ...({ kind: 'trying', failsRequests: true } as const),
    ...{ walk, mend },
  }
}

/** The screens about the service: while it is slow, and when it fails. */
export const serviceScreens: readonly Entry[] = [
  {
    name: 'loading',
    about: 'The service has not responded yet.',
    screen: 'loading',
    heading: 'Loading your payment',
    announced: '',
    kind: 'passing',
    async walk({ open, serviceIs }) {
      await serviceIs('silent')
      await open()
    },
  },
  {
    name: 'loading-unreachable',
    about: 'The service cannot be reached from the start; the checkout keeps trying.',
    screen: 'loading',
    heading: 'The payment service cannot be reached',
    announced: 'The payment service cannot be reached. Trying again…',
    code: 'network_error',
    kind: 'trying',
    failsRequests: true,
    async walk({ open, serviceIs }) {
      await serviceIs('unreachable')
      await open()
    },
    mend: ({ serviceIs }) => serviceIs('well'),
  },
  {
    ...atWallets,
    name: 'outage-offline',
    about: 'The payer’s connection is gone.',
    announced: 'You are offline. Trying again…',
    code: 'network_error',
    kind: 'trying',
    failsRequests: true,
    async walk({ open, reach, page, holdClock, pass }) {
      await holdClock()
      await open()
      await reach('pay')
      await page.context().setOffline(true)
      // The request under way is aborted.
      await pass(36)
    },
    mend: ({ page }) => page.context().setOffline(false),
  },
  {
    ...outage('unreachable'),
    name: 'outage-unreachable',
    about: 'The service is gone while the payer chooses.',
    announced: 'The payment service cannot be reached. Trying again…',
    code: 'network_error',
  },
  {
    ...outage('busy'),
    name: 'outage-busy',
    about: 'The service limits the requests.',
    announced: 'The payment service is busy. Trying again…',
    code: 'rate_limited',
  },
  {
    ...outage('faulty'),
    name: 'outage-faulty',
    about: 'The service returns errors.',
    announced: 'The payment service has a problem. Trying again…',
    code: 'internal_error',
  },
  {
    name: 'end-not-found',
    about: 'No payment has this secret.',
    screen: 'not_found',
    heading: 'Payment not found',
    announced:
      'Payment not found. The link is wrong or too old. If you sent something, do not pay again: the shop can see it. If not, go back to the shop.',
    code: 'intent_not_found',
    kind: 'end',
    failsRequests: true,
    walk: ({ open, intentId }) => open(`${intentId}_secret_${'0'.repeat(43)}`),
  },
  {
    name: 'end-unknown-token',
    about: 'The service requests another token than USDC, and no wallet gets a request.',
    screen: 'unknown_token',
    heading: 'This payment cannot be made here',
    announced:
      'This payment cannot be made here. It needs a token or a network that this checkout does not support. Do not pay it another way: tell the shop.',
    code: 'internal_error',
    kind: 'end',
    async walk({ setServiceFields, open }) {
      await setServiceFields({ token_address: `0x${'12'.repeat(20)}` })
      await open()
    },
  },
  {
    name: 'end-canceled',
    about: 'The merchant has canceled the payment.',
    screen: 'canceled',
    heading: 'This payment was canceled',
    announced:
      'This payment was canceled. Hollow Hill has canceled it. If you sent something, do not pay again: Hollow Hill can see it.',
    code: 'intent_canceled',
    kind: 'end',
    async walk({ open, reach, world, intentId }) {
      await open()
      await reach('pay')
      await world.client.paymentIntents.cancel(intentId)
    },
  },
  {
    name: 'end-canceled-requested',
    about:
      'The merchant has canceled the payment while the wallet prompts: an approval would still pay.',
    screen: 'canceled',
    detail: 'requested',
    heading: 'This payment was canceled',
    announced:
      'This payment was canceled. Your wallet was asked to pay. If it still shows the request, decline it there. If the payment was sent, do not pay again: Hollow Hill can see it.',
    code: 'intent_canceled',
    kind: 'end',
    wallet: { lies: { eth_sendTransaction: hang } },
    async walk({ pay, reach, world, intentId }) {
      await pay()
      await reach('wallet', 'confirming')
      await world.client.paymentIntents.cancel(intentId)
    },
  },
]
