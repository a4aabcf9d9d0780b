import { nearMiss } from './cataloguePay.ts'
import type { Entry } from './entry.ts'
import { refuse } from './scriptedWallet.ts'

/** After the wallet has sent it: everything here depends on single blocks. */
const sent = { chain: 'by hand', kind: 'passing' } as const
/** Waiting for a block. */
const waiting = {
  ...{ ...sent, screen: 'sent', detail: 'sent', heading: 'Payment sent' },
  announced: 'Payment sent. Waiting for Base Sepolia to pick it up. This takes a few seconds.',
}
const paid = { ...sent, screen: 'paid', heading: 'Paid' }
const expired = {
  screen: 'expired',
  heading: 'This payment has expired',
  code: 'intent_expired',
  kind: 'end',
  chain: 'by hand',
  intent: { expires_in_minutes: 5 },
} as const

export const chainScreens: readonly Entry[] = [
  {
    ...waiting,
    name: 'sent',
    about: 'The wallet has sent the payment, and no block holds it yet.',
    walk: ({ pay }) => pay(),
  },
  {
    ...waiting,
    name: 'sent-slow',
    about: 'A minute has passed and no block holds it; the payer is sent to look in the wallet.',
    announced:
      'Payment sent. This is taking longer than usual. Look in your wallet before you pay again: if it was sent, it still counts.',
    async walk({ pay, reach, holdClock, pass }) {
      await holdClock()
      await pay()
      await reach('sent')
      await pass(61)
    },
  },
  {
    ...sent,
    name: 'sent-duplicate',
    about: 'A smart wallet refuses to send the same payment twice: good news.',
    screen: 'sent',
    detail: 'duplicate',
    heading: 'Already sent',
    announced:
      'Already sent. Your wallet had already sent this payment. Waiting for Base Sepolia to pick it up.',
    code: 'duplicate_submission',
    wallet: { atomic: 'supported', lies: { wallet_sendCalls: refuse(5720, 'Duplicate ID.') } },
    walk: ({ pay }) => pay(),
  },
  {
    ...waiting,
    name: 'sent-resumed',
    about: 'The page was loaded again after the payment was sent.',
    detail: 'resumed',
    async walk({ pay, reach, page, open }) {
      await pay()
      await reach('sent')
      await page.reload()
      await open()
    },
  },
  {
    ...sent,
    name: 'leaving-sent',
    about: 'The payer closes after sending: the checkout says that the payment goes on.',
    screen: 'leaving',
    heading: 'Your payment continues',
    announced:
      'Your payment continues. It does not need this window. Hollow Hill is notified when it arrives.',
    async walk({ pay, reach, page }) {
      await pay()
      await reach('sent')
      await page.locator('.close').click()
    },
  },
  {
    ...sent,
    name: 'confirming',
    about: 'The payment is in a block, and its confirmations are counted.',
    screen: 'confirming',
    heading: 'Payment received. Finishing…',
    announced: 'Payment received. Finishing… 2 of 5 confirmations',
    async walk({ haveExplorer, pay, reach, page, world }) {
      await haveExplorer()
      await pay()
      await reach('sent')
      await world.help('chain/mine', { blocks: 2 })
      await page.getByText('2').first().waitFor()
    },
  },
  {
    ...sent,
    name: 'sent-reorged',
    about: 'The network has taken the block back; the payment usually comes again by itself.',
    screen: 'sent',
    detail: 'reorged',
    heading: 'Waiting once more',
    announced:
      'Waiting once more. Base Sepolia has put the payment back in its queue. Do not pay again: it usually comes through.',
    async walk({ pay, reach, world }) {
      await pay()
      await reach('sent')
      await world.help('chain/mine', { blocks: 1 })
      await reach('confirming')
      await world.help('chain/reorg', { depth: 1 })
    },
  },
  {
    ...sent,
    name: 'problem-reverted',
    about: 'The transaction was mined and reverted.',
    screen: 'problem',
    detail: 'tx_reverted',
    heading: 'The network refused the payment',
    announced:
      'The network refused the payment. Nothing was paid but the fee. Try again, or use another account.',
    code: 'tx_reverted',
    kind: 'payable',
    wallet: { decide: () => 'revert' },
    async walk({ pay, reach, world }) {
      await pay()
      await reach('sent')
      await world.help('chain/mine', { blocks: 1 })
    },
  },
  {
    ...sent,
    name: 'problem-replaced',
    about:
      'Another transaction of the account took its place, as when it is canceled in the wallet.',
    screen: 'problem',
    detail: 'tx_replaced',
    heading: 'Your wallet replaced the payment',
    announced:
      'Your wallet replaced the payment. If you sped it up, it still arrives and shows here. If you canceled it, nothing was paid.',
    code: 'tx_replaced',
    kind: 'held',
    async walk({ pay, reach, wallet, holdClock, passUntil, cancelInWallet }) {
      await holdClock()
      await pay()
      await reach('sent')
      await wallet.untilReplied('eth_getTransactionReceipt')
      await cancelInWallet()
      await passUntil('problem', 'tx_replaced')
    },
  },
  {
    ...sent,
    name: 'problem-dropped',
    about: 'No node has shown the transaction for thirty seconds: it may still arrive.',
    screen: 'problem',
    detail: 'tx_dropped',
    heading: 'Not seen yet',
    announced:
      'Not seen yet. Your wallet says that it was sent, but the network does not show it yet. Look in your wallet, and do not pay again: it may still arrive.',
    code: 'tx_dropped',
    kind: 'held',
    wallet: { decide: () => 'drop' },
    async walk({ pay, reach, holdClock, passUntil }) {
      await holdClock()
      await pay()
      await reach('sent')
      await passUntil('problem', 'tx_dropped')
    },
  },
  {
    ...paid,
    name: 'paid',
    about: 'Paid, with every required confirmation.',
    announced: 'Paid. 24.00 USDC to Hollow Hill',
    async walk({ haveExplorer, pay, reach, world }) {
      await haveExplorer()
      await pay()
      await reach('sent')
      await world.help('chain/mine', { blocks: 5 })
    },
  },
  {
    ...paid,
    name: 'paid-already',
    about: 'The checkout was opened for a payment that is done.',
    announced: 'Paid. 24.00 USDC to Hollow Hill. It was paid already.',
    async walk({ world, intentId, open, until }) {
      await world.help(`payment_intents/${intentId}/pay`)
      await world.help('chain/mine', { blocks: 5 })
      await until('succeeded')
      await open()
    },
  },
  {
    ...paid,
    name: 'paid-over',
    about: 'More arrived than the shop requested.',
    announced:
      'Paid. 30.00 USDC to Hollow Hill. That is 5.9934 USDC more than was due. Hollow Hill can return it.',
    async walk({ setServiceFields, world, intentId, open, reach }) {
      // More than the amount by hand, whose tag is drawn at random.
      const manual = { payable_amount_units: 24_006_600, payment_uri: 'ethereum:…' }
      await setServiceFields({ amount_units: 24_006_600, manual })
      await open()
      await reach('pay')
      await world.help(`payment_intents/${intentId}/pay`, { amount_units: 30_000_000 })
      await world.help('chain/mine', { blocks: 5 })
    },
  },
  {
    ...expired,
    name: 'end-expired',
    about: 'The time is up and nothing was sent.',
    announced:
      'This payment has expired. If you sent something, do not pay again: Hollow Hill can see it. If not, go back to Hollow Hill and start again.',
    async walk({ open, reach, world }) {
      await open()
      await reach('pay')
      await world.help('chain/advance_time', { seconds: 301 })
    },
  },
  {
    ...expired,
    name: 'end-expired-near-miss',
    about: 'The time is up, and a transfer close to the amount has reached the shop.',
    announced:
      'This payment has expired. A payment of 23.99 USDC has arrived that Hollow Hill has to match to an order. If you sent something, do not pay again: Hollow Hill can see it. If not, go back to Hollow Hill and start again.',
    async walk({ setServiceFields, open, reach, world }) {
      await setServiceFields(nearMiss)
      await open()
      await reach('near_miss')
      await world.help('chain/advance_time', { seconds: 301 })
    },
  },
  {
    ...expired,
    name: 'end-expired-late',
    about: 'The time was up before the payment arrived; the merchant decides.',
    announced:
      'This payment has expired. A payment was sent but did not arrive in full and on time. Do not pay again: contact Hollow Hill.',
    async walk({ haveExplorer, open, world, intentId, until }) {
      await world.help(`payment_intents/${intentId}/pay_late`)
      await world.help('chain/mine', { blocks: 1 })
      await until('expired', 'late')
      await haveExplorer()
      await open()
    },
  },
]
