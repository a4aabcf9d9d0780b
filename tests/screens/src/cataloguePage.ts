import { atWallets } from './cataloguePay.ts'
import type { Entry } from './entry.ts'

/** The hosted page: the checkout as a page of its own, for shops without one. */
export const pageScreens: readonly Entry[] = [
  {
    ...atWallets,
    name: 'page-pay',
    about: 'The hosted page, which a link opens.',
    kind: 'payable',
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
    name: 'page-no-link',
    about: 'The hosted page loaded again: it keeps no secret, so the payer opens the link again.',
    screen: 'not_found',
    heading: 'Open your payment link again',
    announced:
      'Open your payment link again. This page keeps no link. What you have sent counts all the same.',
    kind: 'end',
    failsRequests: true,
    walk: ({ openPage }) => openPage(''),
  },
]
