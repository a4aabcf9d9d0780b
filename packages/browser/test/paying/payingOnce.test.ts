import { expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import {
  addWallet,
  openFor,
  paid,
  payBy,
  pending,
  pickWallet,
  primary,
  refuseHeldRequest,
  respondLater,
  respondWith,
  secret,
  stored,
  wallet,
} from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import {
  callbackCalls,
  close,
  open,
  openTab,
  page,
  screenOf,
  switchTo,
} from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const neverResponds = { eth_sendTransaction: 'never' }
const key = `payment-intents:${intent().id}`

type Request = { method: string; params: { data: string }[] }

/** Requests to send, made to this page's wallet. */
const sends = () =>
  page.evaluate(() => {
    const { requests = [] } = window as unknown as { requests?: Request[] }
    return requests.filter(({ method }) => /^eth_sendTransaction$|^wallet_sendCalls$/.test(method))
  })

/** In units. */
const unitsOf = ({ data }: { data: string }) => Number(BigInt(`0x${data.slice(74, 138)}`))

async function payAndGoNoFurther(table: Record<string, unknown> = neverResponds) {
  await payBy(secret, intent(), table)
  await page.getByText('Confirm in').first().waitFor()
}

/** Expects a screen on which the payer can only wait. */
async function expectOnlyToWait() {
  await screenOf('requested').waitFor()
  await page.getByText('Do not pay another way in the meantime.').first().waitFor()
  expect(await primary().count()).toBe(0)
  expect(await page.getByRole('tab').count()).toBe(0)
  expect(await page.locator('[part=wallet], .qr').count()).toBe(0)
}

test('a page that is reloaded while the wallet prompts sends no second request', async () => {
  await payAndGoNoFurther()
  await page.reload()
  await addWallet(wallet)
  await open(secret)
  await expectOnlyToWait()
  expect(await sends()).toEqual([])
})

test('Back from a wallet that prompts offers no other way to pay', async () => {
  await payAndGoNoFurther()
  await page.getByRole('button', { name: 'Back' }).click()
  await expectOnlyToWait()
  expect(await sends()).toHaveLength(1)
})

test('a request is stored before it is sent to the wallet, holds no secret, and is removed by a refusal', async () => {
  await payAndGoNoFurther({ ...wallet, eth_sendTransaction: 'held' })
  expect(await stored()).toEqual([key])
  const text = await page.evaluate((key) => localStorage.getItem(key), key)
  expect(text).not.toContain('secret')
  expect(JSON.parse(text ?? '')).toMatchObject([{ amount: '25000000', result: 'none' }])
  await refuseHeldRequest()
  await page.getByText('You declined').first().waitFor()
  expect(await stored()).toEqual([])
  await page.getByRole('button', { name: 'Try again' }).and(primary()).waitFor()
})

test('another tab shows at once that a wallet prompts, and that it has refused', async () => {
  respondWith(secret, intent())
  const first = page
  await addWallet({ ...wallet, eth_sendTransaction: 'held' })
  await open(secret)
  await screenOf('pay').waitFor()
  const second = await openTab()
  await addWallet(wallet)
  await open(secret)
  await screenOf('pay').waitFor()
  switchTo(first)
  await pickWallet()
  await page.getByText('Confirm in').first().waitFor()
  switchTo(second)
  await expectOnlyToWait()
  switchTo(first)
  await refuseHeldRequest()
  await page.getByText('You declined').first().waitFor()
  switchTo(second)
  await screenOf('pay').waitFor()
  expect(await sends()).toEqual([])
})

test('a refusal to a closed checkout leaves the request of the next checkout stored', async () => {
  await payAndGoNoFurther({ ...wallet, eth_sendTransaction: 'held' })
  await close(secret)
  await open(secret)
  await screenOf('requested').waitFor()
  await page.getByRole('button', { name: 'I am sure that it was not sent' }).click()
  await page.evaluate(() => {
    const { table } = window as unknown as { table: Record<string, unknown> }
    table.eth_sendTransaction = 'never'
  })
  await pickWallet()
  await page.getByText('Confirm in').first().waitFor()
  await refuseHeldRequest()
  const requests = () => page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? '[]'), key)
  await expect.poll(requests).toHaveLength(1)
  await page.reload()
  await addWallet(wallet)
  await open(secret)
  await expectOnlyToWait()
})

test('the assurance that nothing was sent ends once another tab stores a sent payment', async () => {
  const first = page
  await payAndGoNoFurther({ ...wallet, eth_sendTransaction: { later: txHash } })
  const second = await openTab()
  await addWallet(wallet)
  await open(secret)
  await screenOf('requested').waitFor()
  await page.getByRole('button', { name: 'I am sure that it was not sent' }).click()
  await screenOf('pay').waitFor()
  switchTo(first)
  await respondLater()
  switchTo(second)
  await screenOf('sent').waitFor()
  expect(await sends()).toEqual([])
})

test.each([
  ['to connect', { eth_requestAccounts: { refuse: -32002 } }],
  ['to send', { eth_sendTransaction: { refuse: -32002 } }],
])(
  'no primary action sends a second request to a wallet that already prompts: %s',
  async (_, changes) => {
    await payBy(secret, intent(), { ...changes })
    await page.getByText('Your wallet already has a request').first().waitFor()
    expect(await primary().count()).toBe(0)
  },
)

test('a retry does not repeat a request without a final response', async () => {
  await payBy(secret, intent(), { eth_sendTransaction: { refuse: -32603 } })
  await screenOf('problem').waitFor()
  await page.getByText('Look in your wallet').first().waitFor()
  expect(await primary().count()).toBe(0)
  await page.reload()
  await addWallet(wallet)
  await open(secret)
  await expectOnlyToWait()
})

test('a hash that no node shows does not offer to pay again', async () => {
  await holdClock(page)
  respondWith(secret, intent())
  // As from a multisig wallet: the hash is that of its own queue.
  await addWallet({ ...wallet, eth_getTransactionByHash: null, eth_getTransactionReceipt: null })
  await open(secret)
  await pickWallet()
  await screenOf('sent').waitFor()
  await expect
    .poll(async () => {
      await page.clock.runFor(2_000)
      return screenOf('problem').isVisible()
    })
    .toBe(true)
  await page.getByText('Not seen yet').first().waitFor()
  await page.getByText('do not pay again').first().waitFor()
  expect(await page.getByText('lost').count()).toBe(0)
  expect(await primary().count()).toBe(0)
  expect(await stored()).toEqual([key])
  await expect.poll(callbackCalls).toMatchObject([['error', secret, { code: 'tx_dropped' }]])
  respondWith(secret, pending)
  await screenOf('confirming').waitFor()
  expect(await stored()).toEqual([])
})

test.each(isFull ? (['expired', 'canceled'] as const) : (['canceled'] as const))(
  'an intent that is %s while the wallet prompts offers no new start, and shows a later approval',
  async (status) => {
    await payAndGoNoFurther({ ...wallet, eth_sendTransaction: { later: txHash } })
    respondWith(secret, intent({ status, version: 2 }))
    await screenOf(status).waitFor()
    await page.getByText('If it still shows the request, decline it there.').first().waitFor()
    await page.getByText('do not pay again').first().waitFor()
    expect(await page.getByText(/[Nn]othing is owed|start/).count()).toBe(0)
    await respondLater()
    await page.getByText('A payment was sent').first().waitFor()
    await page.getByRole('link', { name: 'View transaction' }).waitFor()
    await page.reload()
    await open(secret)
    await page.getByText('A payment was sent').first().waitFor()
  },
)

test.each([
  ['expired', 'start again'],
  ['canceled', 'has canceled it'],
  [404, 'the shop can see it'],
] as const)('the end %s advises a payer who has sent something', async (end, text) => {
  await openFor(secret, end === 404 ? 404 : intent({ status: end }))
  await page.getByText('If you sent something, do not pay again').first().waitFor()
  await page.getByText(text).first().waitFor()
})

test('a shop whose address is blocked sends no wallet request and offers no retry', async () => {
  const yes = `0x${'1'.padStart(64, '0')}`
  const shop = intent().expected_wallet.slice(2).padStart(64, '0')
  await payBy(secret, intent(), { [`eth_call 0xfe575a87${shop}`]: yes })
  await page.getByText('The shop’s address is blocked').first().waitFor()
  await page.getByText('nobody can pay there').first().waitFor()
  expect(await page.getByRole('button', { name: /again|another way/ }).count()).toBe(0)
  expect(await sends()).toEqual([])
  const message = expect.stringContaining('The shop’s address is blocked')
  expect(await callbackCalls()).toMatchObject([
    ['error', secret, { code: 'address_blocked', message }],
  ])
})

test('a transfer that would revert costs no fee', async () => {
  await payBy(secret, intent(), { 'eth_call 0xa9059cbb': { refuse: 3 } })
  await page.getByText('The network would refuse this payment').first().waitFor()
  await page.getByText('Nothing was sent.').first().waitFor()
  expect(await sends()).toEqual([])
})

test.each(isFull ? [-32602, 4200] : [-32602])(
  'a batch refused with %d is requested as a transaction',
  async (code) => {
    const capabilities = { '0x14a34': { atomic: { status: 'supported' } } }
    await payBy(secret, intent(), {
      ...wallet,
      wallet_getCapabilities: capabilities,
      wallet_sendCalls: { refuse: code },
    })
    await screenOf('sent').waitFor()
    const sendsBefore = await sends()
    expect(sendsBefore.map(({ method }) => method)).toEqual([
      'wallet_sendCalls',
      'eth_sendTransaction',
    ])
    // The amount identifies the transfer of a smart account.
    expect(sendsBefore.at(-1)?.params.map(unitsOf)).toEqual([25_000_100])
  },
)

test('an account without code receives a request for the price, as the screen shows it', async () => {
  await openFor(secret, intent(), wallet)
  await page.getByRole('heading', { name: '25.00 USDC' }).waitFor()
  await page.getByText('≈ $25.00').waitFor()
  expect(await page.getByText('25.0001').count()).toBe(0)
  await pickWallet()
  await screenOf('sent').waitFor()
  expect((await sends()).flatMap(({ params }) => params.map(unitsOf))).toEqual([25_000_000])
})

test('an account with code receives a request for the payable amount, with an explanation', async () => {
  await payAndGoNoFurther({ ...neverResponds, eth_getCode: '0xef01' })
  expect((await sends()).flatMap(({ params }) => params.map(unitsOf))).toEqual([25_000_100])
  await page.getByText('25.0001 USDC').waitFor()
  await page.getByText('Price 25.00 + 0.0001, which identifies your payment').waitFor()
})

test('a payment by hand shows the exact amount, and explains its tag', async () => {
  await openFor(secret, intent({ lane: 'manual' }))
  await page.getByRole('heading', { name: '25.0001 USDC' }).waitFor()
  await page.getByText('Send exactly 25.0001 USDC').waitFor()
  await page.getByText('Price 25.00 + 0.0001, which identifies your payment').waitFor()
  const link = await page.locator('a.touch').getAttribute('href')
  expect(link).toMatch(/&uint256=25000100$/)
})

test('the screen explains what USDC is', async () => {
  await openFor(secret, intent())
  await page.getByText('What is USDC?').click()
  await page.getByText('USDC is a digital dollar').waitFor()
})

test('the rest of a partial payment has a QR code if it can be paid by hand', async () => {
  const manual = { payable_amount_units: 5_000_100, payment_uri: 'ethereum:…' }
  const part = { exceptions: ['underpaid'], amount_received_units: 20_000_000, manual }
  await openFor(secret, intent({ ...part, lane: 'manual' }))
  await page.getByRole('heading', { name: '5.0001 USDC' }).waitFor()
  await page.getByText('Still to pay 5.00 + 0.0001, which identifies your payment').waitFor()
  await page.getByRole('img', { name: 'QR code of the payment request' }).waitFor()
  await page.getByText('Send exactly 5.0001 USDC').waitFor()
})

test('a transfer close to the amount is still shown once the intent has expired', async () => {
  await openFor(secret, intent({ lane: 'manual' }))
  await screenOf('pay').waitFor()
  const near_misses = [{ tx_hash: txHash, amount_units: 24_990_000 }]
  respondWith(secret, intent({ status: 'expired', near_misses, lane: 'manual', version: 2 }))
  const notice = 'A payment of 24.99 USDC has arrived that Kiosk has to match to an order.'
  await page.getByText(notice).first().waitFor()
  const statusText = await page.locator('.status').textContent()
  expect(statusText?.match(/do not pay again/gi)).toHaveLength(1)
})

test('only the payer allows a second request, and is warned again after a refusal', async () => {
  await payAndGoNoFurther()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'I am sure that it was not sent' }).click()
  await screenOf('pay').waitFor()
  for (const tabName of ['QR code', 'Wallet']) {
    await page.getByRole('tab', { name: tabName }).click()
    await page.getByText('A wallet already has a request and may still pay.').first().waitFor()
  }
  await page.evaluate(() => {
    const { table } = window as unknown as { table: Record<string, unknown> }
    table.eth_sendTransaction = { refuse: 4001 }
  })
  await pickWallet()
  await page.getByText('You declined').first().waitFor()
  expect(await sends()).toHaveLength(2)
  // The first request is still open in the wallet.
  expect(await primary().count()).toBe(0)
  await page.reload()
  await open(secret)
  await expectOnlyToWait()
})

test('an intent paid elsewhere advises the payer to decline the open wallet request', async () => {
  await payAndGoNoFurther()
  respondWith(secret, pending)
  await screenOf('confirming').waitFor()
  await page
    .getByText('If your wallet still shows the request, decline it there.')
    .first()
    .waitFor()
  respondWith(secret, paid)
  await screenOf('paid').waitFor()
  await page
    .getByText('If your wallet still shows the request, decline it there.')
    .first()
    .waitFor()
  expect(await stored()).toEqual([])
})

test('requests are kept in memory if storage fails', async () => {
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
  })
  await payAndGoNoFurther()
  await close(secret)
  await open(secret)
  await expectOnlyToWait()
})
