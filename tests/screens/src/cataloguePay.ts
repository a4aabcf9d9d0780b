import type { Entry } from './entry.ts'

const phone = { isMobile: true, hasTouch: true, viewport: { width: 390, height: 844 } } as const

export const atWallets = {
  ...{ screen: 'pay', detail: 'wallets', heading: '24.00 USDC' },
  announced: 'Pay Hollow Hill. 24.00 USDC on Base Sepolia',
}
const atQr = {
  ...{ screen: 'pay', detail: 'qr', heading: '24.0066 USDC' },
  announced: 'Pay Hollow Hill. 24.0066 USDC on Base Sepolia',
  ...({ kind: 'passing', intent: { lane: 'manual' } } as const),
}

/** The amount by hand, whose tag is drawn at random. */
const tagged = {
  amount_units: 24_006_600,
  manual: { payable_amount_units: 24_006_600, payment_uri: 'ethereum:…' },
}

/** A transfer that misses the amount by a cent. */
export const nearMiss = {
  near_misses: [{ tx_hash: `0x${'0'.repeat(64)}`, amount_units: 23_990_000 }],
}
const rest = {
  heading: '19.00 USDC',
  announced:
    'Pay Hollow Hill. 5.00 USDC has arrived. This much is still to pay. 19.00 USDC on Base Sepolia',
}

/** Where the payer chooses how to pay. */
export const payScreens: readonly Entry[] = [
  {
    ...atWallets,
    name: 'pay-wallets',
    about: 'The payer has a wallet in the browser and pays with one press.',
    kind: 'payable',
    walk: (walk) => walk.open(),
  },
  {
    ...atQr,
    name: 'pay-qr',
    about: 'An intent for payment by hand opens on the amount and the address, above a QR code.',
    async walk({ setServiceFields, open }) {
      await setServiceFields(tagged)
      await open()
    },
  },
  {
    ...atQr,
    name: 'pay-address',
    about: 'The code holds the bare address, for wallets that misread payment requests.',
    async walk({ setServiceFields, open, page }) {
      await setServiceFields(tagged)
      await open()
      await page.locator('.choice label').last().click()
    },
  },
  {
    ...atQr,
    name: 'pay-copied',
    about: 'The payer has copied the exact amount, and a screen reader announces it.',
    announced: 'Amount copied.',
    async walk({ setServiceFields, open, page, holdClock }) {
      await setServiceFields(tagged)
      await holdClock()
      await open()
      await page.locator('.fields button').first().click()
    },
  },
  {
    ...atWallets,
    name: 'pay-no-wallet',
    about: 'No wallet is found: the code is offered first, and where to find a wallet.',
    kind: 'passing',
    wallet: 'none',
    async walk({ open, page }) {
      await open()
      await page.locator('#method-wallets').click()
    },
  },
  {
    ...atWallets,
    name: 'pay-no-wallet-phone',
    about: 'A phone without a wallet: the page opens again in the browser of a wallet app.',
    kind: 'passing',
    wallet: 'none',
    device: phone,
    async walk({ open, page }) {
      await open()
      await page.locator('#method-wallets').click()
    },
  },
  {
    ...atWallets,
    name: 'pay-other-name',
    about: 'The shop is registered under another name than the page calls it: both are shown.',
    announced: 'Pay Hollow Hill Ltd. 24.00 USDC on Base Sepolia',
    kind: 'payable',
    async walk({ setServiceFields, open }) {
      await setServiceFields({ merchant_name: 'Hollow Hill Ltd' })
      await open()
    },
  },
  {
    ...{ ...atWallets, ...rest },
    name: 'pay-wallet-not-found',
    about:
      'No wallet is found, and at a shared address the rest of a part payment cannot be distinguished from other payments by hand.',
    code: 'wallet_not_found',
    kind: 'payable',
    wallet: 'none',
    async walk({ setServiceFields, open, payPart }) {
      await payPart(5_000_000n)
      await setServiceFields({ manual: null })
      await open()
    },
    mend: ({ wallet }) => wallet.announce(),
  },
  {
    ...{ ...atWallets, ...rest },
    name: 'pay-rest',
    about: 'A part of the payment has arrived; the checkout requests the rest.',
    kind: 'payable',
    async walk({ open, payPart }) {
      await payPart(5_000_000n)
      await open()
    },
  },
  {
    ...atQr,
    ...{ name: 'pay-rest-qr', heading: '19.0066 USDC' },
    announced:
      'Pay Hollow Hill. 5.00 USDC has arrived. This much is still to pay. 19.0066 USDC on Base Sepolia',
    about: 'At an address of its own, the rest of a part payment can be paid by hand, too.',
    async walk({ setServiceFields, open, payPart }) {
      await payPart(5_000_000n)
      const manual = { payable_amount_units: 19_006_600, payment_uri: 'ethereum:…' }
      await setServiceFields({ manual })
      await open()
    },
  },
  {
    ...{ screen: 'near_miss', detail: 'unclaimed', kind: 'passing', intent: { lane: 'manual' } },
    ...{ name: 'pay-near-miss', heading: 'We see 23.99 USDC' },
    about: 'A transfer close to the amount has reached the shop; the payer says whose it is.',
    announced: 'We see 23.99 USDC. This payment matches no order by itself. Did you send it?',
    async walk({ setServiceFields, open }) {
      await setServiceFields(nearMiss)
      await open()
    },
  },
  {
    ...{ screen: 'near_miss', detail: 'mine', kind: 'passing', intent: { lane: 'manual' } },
    ...{ name: 'pay-near-miss-mine', heading: 'Do not pay again' },
    about: 'The payer has sent it: the shop can see it, and how to reach the shop.',
    announced:
      'Do not pay again. 23.99 USDC has arrived. Hollow Hill can see it and has to match it to your order. You can close this window.',
    async walk({ setServiceFields, open, page }) {
      await setServiceFields({ ...nearMiss, support: 'help@hollowhill.example' })
      await open()
      await page.locator('.sheet .primary').click()
    },
  },
  {
    ...atWallets,
    name: 'pay-usdc',
    about: 'Three sentences about USDC, for who has never used it.',
    kind: 'payable',
    async walk({ open, page }) {
      await open()
      await page.locator('.about:not(.get) > summary').click()
    },
  },
  {
    ...atWallets,
    name: 'pay-last-minute',
    about: 'Less than a minute is left.',
    kind: 'passing',
    chain: 'by hand',
    intent: { expires_in_minutes: 5 },
    async walk({ world, open, holdClock }) {
      await world.help('chain/advance_time', { seconds: 245 })
      await holdClock()
      await open()
    },
  },
]
