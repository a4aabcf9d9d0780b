import { addWallet, announce, paid, pending, respondWith, signer, wallet } from './checkoutPage.ts'
import { open, page, screenOf } from './shopPage.ts'
import { authorization, gaslessIntent, intent, txHash } from './testIntents.ts'

/** Opens the checkout at a screen; `options` are added to those of its opening. */
export type Reach = (options?: object) => Promise<void>

const underpaid = intent({ exceptions: ['underpaid'], amount_received_units: 20_500_000 })

const confirmInWallet = onWalletScreen('confirming', { eth_sendTransaction: 'never' })
const confirming: Reach = (options) => openOn(pending, 'confirming', options)

const reachNearMiss: Reach = (options) =>
  openOn(
    intent({ lane: 'manual', near_misses: [{ tx_hash: txHash, amount_units: 24_990_000 }] }),
    'near_miss',
    options,
  )

/** Every screen reachable with fixed responses of the service and the wallet, by its content. */
const reaches = {
  loading: async (options) => {
    // This request gets no response; it ends with the page.
    await page.route('**/resolve', () => {})
    await open('a', options)
    await screenOf('loading').waitFor()
  },
  'pay by wallet': async (options) => {
    await addWallet(wallet)
    await openOn(intent(), 'pay', options)
    await page.getByRole('button', { name: 'Test' }).waitFor()
  },
  'pay by one of two wallets': async (options) => {
    await announce(['Fox', 'io.fox'], ['Bear', 'org.bear'])
    await page.evaluate(() => localStorage.setItem('payment-intents-wallet', 'org.bear'))
    const line_items = [{ name: 'Morning Mug', quantity: 2, amount: '25.00' }]
    const metadata = { line_items, fiat: { currency: 'EUR', amount: '23.10' } }
    await openOn(intent({ metadata }), 'pay', options)
    await page.getByRole('button', { name: 'Bear' }).waitFor()
  },
  'pay without gas': async (options) => {
    await addWallet(wallet)
    const metadata = { description: 'Two stoneware mugs, speckled' }
    await openOn(gaslessIntent({ metadata }), 'pay', options)
    await page.getByText('Two stoneware mugs, speckled').waitFor()
  },
  'on its way': (options) =>
    openOn(gaslessIntent({ gasless: null, authorization: authorization() }), 'sent', options),
  'pay by QR': (options) => openOn(intent({ lane: 'manual' }), 'pay', options),
  'pay without a wallet': (options) => openOn(intent({ manual: null }), 'pay', options),
  underpaid: async (options) => {
    await addWallet(wallet)
    await openOn(underpaid, 'pay', options)
    await page.getByRole('button', { name: 'Test' }).waitFor()
  },
  'service unavailable': async (options) => {
    await addWallet(wallet)
    await openOn(intent(), 'pay', options)
    respondWith('a', 503)
    await page.locator('.outage').waitFor()
  },
  connecting: onWalletScreen('connecting', { eth_requestAccounts: 'never' }),
  'earlier request open': onWalletScreen('request_pending', {
    eth_requestAccounts: { refuse: -32002 },
    eth_accounts: [],
  }),
  switching: onWalletScreen('switching', {
    eth_chainId: '0x1',
    wallet_switchEthereumChain: 'never',
  }),
  checking: onWalletScreen('checking', { 'eth_call 0x70a08231': 'never' }),
  'confirm in wallet': confirmInWallet,
  'silent wallet': async (options) => {
    await addWallet({ ...signer, eth_signTypedData_v4: 'never' })
    await openOn(gaslessIntent(), 'pay', options)
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('Check the amount there and sign.').first().waitFor()
    // As after a minute.
    await page.evaluate(() => {
      window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    })
    await page.getByRole('button', { name: 'Send it for a network fee instead' }).waitFor()
  },
  declined: onWalletScreen('user_rejected', { eth_requestAccounts: { refuse: 4001 } }),
  'too little USDC': onWalletScreen('insufficient_token', {
    'eth_call 0x70a08231': `0x${'0'.repeat(64)}`,
  }),
  'request open': async (options) => {
    await confirmInWallet(options)
    await page.locator('.quiet').click()
    await screenOf('requested').waitFor()
  },
  'canceled, wallet prompts': async (options) => {
    await confirmInWallet(options)
    respondWith('a', intent({ status: 'canceled', version: 2 }))
    await screenOf('canceled').waitFor()
  },
  'the shop is blocked': onWalletScreen('recipient_blocked', {
    [`eth_call 0xfe575a87${intent().expected_wallet.slice(2).padStart(64, '0')}`]: `0x${'1'.padStart(64, '0')}`,
  }),
  'near miss': reachNearMiss,
  'near miss, mine': async (options) => {
    await reachNearMiss(options)
    await page.locator('.sheet .primary').click()
    await page.locator('[data-detail=mine]').waitFor()
  },
  'leaving, wallet prompts': async (options) => {
    await confirmInWallet(options)
    await page.locator('[part=close]').click()
    await screenOf('leaving').waitFor()
  },
  sent: onWalletScreen('sent', {}),
  reorged: (options) => openOn(intent({ exceptions: ['reorged'], version: 3 }), 'sent', options),
  confirming,
  'leaving, payment sent': async (options) => {
    await confirming(options)
    await page.keyboard.press('Escape')
    await screenOf('leaving').waitFor()
  },
  paid: async (options) => {
    await confirming(options)
    respondWith('a', paid)
    await screenOf('paid').waitFor()
  },
  'paid before': (options) => openOn(paid, 'paid', options),
  expired: (options) => openOn(intent({ status: 'expired' }), 'expired', options),
  'expired, paid late': (options) =>
    openOn(intent({ status: 'expired', tx_hash: txHash }), 'expired', options),
  canceled: (options) => openOn(intent({ status: 'canceled' }), 'canceled', options),
  'not found': (options) => openOn(404, 'not_found', options),
  'unknown token': (options) => openOn(intent({ chain_id: 1 }), 'unknown_token', options),
  'another name on the page': (options) =>
    openOn(intent({ merchant_name: 'Hollow Hill Ltd' }), 'pay', options),
} satisfies Record<string, Reach>

export type ScreenName = keyof typeof reaches
export const screens: Record<ScreenName, Reach> = reaches
export const screenNames = Object.keys(reaches) as ScreenName[]

async function openOn(
  response: Parameters<typeof respondWith>[1],
  screen: string,
  options: object = {},
) {
  respondWith('a', response)
  await open('a', options)
  await screenOf(screen).waitFor()
}

function onWalletScreen(detail: string, script: Record<string, unknown>): Reach {
  return async (options) => {
    await addWallet({ ...wallet, ...script })
    await openOn(intent(), 'pay', options)
    await page.getByRole('button', { name: 'Test' }).click()
    await page.locator(`[data-detail=${detail}]`).waitFor()
  }
}
