import { atWallets } from './cataloguePay.ts'
import type { Entry } from './entry.ts'

/** The hosted page: the checkout as a page of its own, for shops without a page. */
export const pageScreens: readonly Entry[] = [
  {
    ...atWallets,
    name: 'page-pay',
    about: 'The hosted page, which a link opens.',
    kind: 'payable',
    walk: ({ openPage }) => openPage(),
  },
  {
    ...atWallets,
    name: 'page-brand',
    about: 'The hosted page of a shop that has registered its logo and its colour.',
    kind: 'payable',
    isBranded: true,
    intent: { metadata: { description: 'Two wooden spoons and a bowl' } },
    walk: ({ openPage }) => openPage(),
  },
  {
    name: 'page-paid',
    about: 'Paid on the hosted page, which can be closed.',
    screen: 'paid',
    heading: 'Paid',
    announced: 'Paid. 24.00 USDC to Hollow Hill',
    kind: 'passing',
    async walk({ openPage, page }) {
      await openPage()
      await page.locator('.wallets button').first().click()
    },
  },
  {
    name: 'page-brand-declined',
    about: 'Declined in the wallet, in the colour of the shop.',
    screen: 'problem',
    detail: 'user_rejected',
    heading: 'You declined',
    announced: 'You declined. Nothing was sent.',
    kind: 'payable',
    isBranded: true,
    wallet: { decide: ({ method }) => (method === 'eth_sendTransaction' ? 'reject' : 'approve') },
    async walk({ openPage, page }) {
      await openPage()
      await page.locator('.wallets button').first().click()
    },
  },
  {
    name: 'page-used-link',
    about: 'The hosted page by a link that was handed over, and has been used or is too old.',
    screen: 'not_found',
    heading: 'This link has been used',
    announced:
      'This link has been used. It opens once, within a few minutes. Go back to where you found it: there is a new one. Anything you have sent still counts.',
    kind: 'end',
    failsRequests: true,
    async walk({ page, world }) {
      await page.goto(`${world.apiUrl}/checkout/h/used`)
    },
  },
  {
    name: 'page-no-link',
    about: 'The hosted page without a link, and without a session: the payer opens the link again.',
    screen: 'not_found',
    heading: 'Open your payment link again',
    announced:
      'Open your payment link again. This page does not keep the link. Anything you have sent still counts.',
    kind: 'end',
    failsRequests: true,
    walk: ({ openPage }) => openPage(''),
  },
]
