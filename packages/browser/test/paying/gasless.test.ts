import type { Request } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import {
  addWallet,
  openFor,
  paid,
  payBy,
  pending,
  pickWallet,
  pressPrimary,
  primary,
  refuseHeldRequest,
  respondLater,
  respondWith,
  signer as rich,
  secret,
  settleQueued,
  signature,
  stored,
  wallet,
  walletMethods,
} from '../support/checkoutPage.ts'
import { authorizeWith, received, submittedAuthorizations } from '../support/origins.ts'
import {
  callbackCalls,
  complaints,
  open,
  openTab,
  page,
  screenOf,
  switchTo,
} from '../support/shopPage.ts'
import { authorization, gaslessIntent, intent, txHash } from '../support/testIntents.ts'

/** Holds USDC and no ETH. */
const signer = { ...rich, eth_getBalance: '0x0' }
const inFlight = (changes = {}) =>
  gaslessIntent({ gasless: null, authorization: authorization(changes), version: 2 })
const sends = async () => (await walletMethods()).filter((method) => /send|sign/i.test(method))

/** Accepts every submitted authorization, and reports it to every page. */
function takeAll() {
  authorizeWith(() => {
    respondWith(secret, inFlight())
    return [200, {}]
  })
}

/** Expects a screen on which the payer can only wait. */
async function expectInFlight() {
  await page.getByText('Your payment is on its way').first().waitFor()
  await page.getByText('Do not pay another way in the meantime.').first().waitFor()
  expect(await page.locator('.sheet .primary, .sheet .quiet, [role=tab], .qr').count()).toBe(0)
}

test('a payer with USDC and no ETH signs once and has paid', async () => {
  takeAll()
  await openFor(secret, gaslessIntent({ metadata: { description: '<b>Two mugs</b>' } }), signer)
  await page.getByText('<b>Two mugs</b>', { exact: true }).waitFor()
  await pickWallet()
  await expectInFlight()
  expect(await sends()).toEqual(['eth_signTypedData_v4'])

  const { gasless } = gaslessIntent()
  const message = { from: wallet.eth_requestAccounts[0], ...gasless?.message }
  const terms = { ...message, validBefore: expect.stringMatching(/^\d{10}$/) }
  expect(submittedAuthorizations()).toEqual([
    { client_secret: secret, authorization: terms, signature },
  ])
  const [request] = received.api.filter(({ url }) => url.endsWith('/authorize'))
  expect(request?.headers['content-type']).toMatch(/^text\/plain/)
  expect(request?.headers.referer).toBeUndefined()

  respondWith(secret, { ...inFlight({ tx_hash: txHash }), version: 3 })
  await page.getByRole('link', { name: 'View transaction' }).waitFor()
  expect(await callbackCalls()).toEqual([])
  respondWith(secret, { ...pending, version: 4 })
  await screenOf('confirming').waitFor()
  respondWith(secret, { ...paid, version: 5 })
  await screenOf('paid').waitFor()
  expect(await stored()).toEqual([])
  expect((await callbackCalls()).map(([name]) => name)).toEqual(['pending', 'success'])
})

test('a payment on its way is shown alone after a reload and in another tab', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), signer)
  await expectInFlight()
  await page.reload()
  await addWallet(signer)
  await open(secret)
  await expectInFlight()
  await openTab()
  await addWallet(signer)
  await open(secret)
  await expectInFlight()
  expect(submittedAuthorizations()).toHaveLength(1)
})

test('a signature request of a closed page does not keep the payer from signing again', async () => {
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'never' })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  const [key = ''] = await stored()
  const text = await page.evaluate((key) => localStorage.getItem(key), key)
  expect(text).not.toContain('secret')
  expect(JSON.parse(text ?? '')).toMatchObject([{ result: 'none', authorization: {} }])
  await page.reload()
  takeAll()
  await addWallet(signer)
  await open(secret)
  await screenOf('pay').waitFor()
  expect(await stored()).toEqual([])
  await pickWallet()
  await expectInFlight()
})

test('only the same account may sign again after its page was left while it submitted a signature', async () => {
  authorizeWith(() => [503, {}])
  await payBy(secret, gaslessIntent(), signer)
  const first = page
  await page.getByText('Keep this window open.').first().waitFor()
  await openTab()
  await open(secret)
  await page.getByText('You are paying in another tab').first().waitFor()
  await first.close()
  await page.reload()
  await addWallet({ ...signer, eth_requestAccounts: [`0x${'33'.repeat(20)}`] })
  await open(secret)
  await page.getByText('You left while your signature').first().waitFor()
  expect(await page.getByText('Payment sent').count()).toBe(0)
  expect(await page.locator('[role=tab], .qr').count()).toBe(0)
  await pickWallet()
  await page.getByText('This is another account').first().waitFor()
  await page.getByText('Sign again with 0x2222…2222.').first().waitFor()
  expect(await sends()).toEqual([])
  await page.reload()
  await addWallet(signer)
  await open(secret)
  await page.getByText('You left while your signature').first().waitFor()
  takeAll()
  await pickWallet()
  await expectInFlight()
  expect(await sends()).toEqual(['eth_signTypedData_v4'])
  const nonces = submittedAuthorizations().map(
    ({ authorization }) => (authorization as { nonce?: string }).nonce,
  )
  expect(new Set(nonces).size).toBe(1)
})

test('a wallet that shows no request receives a second signature request within the click', async () => {
  await page.clock.install()
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'queued' })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.clock.fastForward(21_000)
  await page.getByText('Your browser may have blocked its window.').first().waitFor()
  await page.getByText('Hardware wallets take a while.').first().waitFor()
  expect(await page.locator('.sheet .primary').count()).toBe(0)
  await page.clock.fastForward(40_000)
  await primary().waitFor()
  expect(await pressPrimary()).toEqual(['eth_signTypedData_v4'])
  takeAll()
  // Both requests stay open: only the first approval counts.
  await settleQueued('approve', 0)
  await expectInFlight()
  await settleQueued('approve', 1)
  expect(submittedAuthorizations()).toHaveLength(1)
})

test('a wallet that shows no transfer is woken, and receives no second transfer request', async () => {
  await page.clock.install()
  await payBy(secret, intent(), { eth_sendTransaction: 'never' })
  await page.getByText('Review the transfer there').first().waitFor()
  await page.clock.fastForward(61_000)
  await primary().waitFor()
  expect(await pressPrimary()).toEqual(['eth_requestAccounts'])
  expect(await sends()).toEqual(['eth_sendTransaction'])
})

test('nothing else is offered while another tab waits for a signature', async () => {
  respondWith(secret, gaslessIntent())
  const first = page
  await addWallet({ ...signer, eth_signTypedData_v4: 'held' })
  await open(secret)
  await pickWallet()
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await openTab()
  const second = page
  await addWallet(signer)
  await open(secret)
  await screenOf('requested').waitFor()
  // Each response of the service makes the tab look for the other tab.
  respondWith(secret, gaslessIntent({ version: 2, merchant_name: 'Hollow Hill' }))
  await page.getByText('Hollow Hill').first().waitFor()
  expect(await screenOf('requested').isVisible()).toBe(true)
  expect(await page.getByRole('tab').count()).toBe(0)
  switchTo(first)
  await refuseHeldRequest()
  await page.getByText('You declined').first().waitFor()
  switchTo(second)
  await screenOf('pay').waitFor()
})

test('a signature after the payer has gone back is submitted', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: { later: signature } })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Your wallet may still show a request to sign.').first().waitFor()
  await respondLater()
  await expectInFlight()
  expect(submittedAuthorizations()).toHaveLength(1)
})

test('a signature after the payer has chosen to pay by hand is not submitted', async () => {
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: { later: signature } })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('tab', { name: 'QR code' }).click()
  await page.locator('.qr').waitFor()
  expect(await stored()).toEqual([])
  await respondLater()
  expect(await screenOf('pay').isVisible()).toBe(true)
  expect(submittedAuthorizations()).toEqual([])
})

test('a request whose response is lost is retried until a response arrives', async () => {
  let failedRequests = 0
  authorizeWith(() => {
    failedRequests += 1
    return failedRequests < 3 ? 'cut' : [200, {}]
  })
  // On a reused connection, the browser itself repeats a lost request, so the page sees fewer failures.
  let failed = 0
  const count = (request: Request) => {
    failed += Number(request.url().endsWith('/authorize'))
  }
  page.on('requestfailed', count)
  onTestFinished(() => void page.off('requestfailed', count))
  await payBy(secret, gaslessIntent(), signer)
  await page.getByText('Keep this window open.').first().waitFor()
  expect(await page.locator('.sheet .primary, .sheet .quiet').count()).toBe(0)
  await expectInFlight()
  expect(submittedAuthorizations()).toHaveLength(3)
  expect(failed).toBeGreaterThan(0)
  await expect.poll(() => complaints.length).toBe(failed)
  complaints.length = 0
  expect(await sends()).toEqual(['eth_signTypedData_v4'])
})

test.each<[string, object, object]>([
  ['the service cannot submit it', {}, { error: 'conflict', reason: 'gasless_unavailable' }],
  ['the wallet cannot sign', { eth_signTypedData_v4: { refuse: 4200 } }, {}],
])('a transfer takes another click if %s', async (_, changes, refusal) => {
  authorizeWith(() => [409, refusal])
  await payBy(secret, gaslessIntent(), {
    ...signer,
    eth_getBalance: '0xde0b6b3a7640000',
    ...changes,
  })
  await page.getByText('This needs a network fee').first().waitFor()
  await page.getByText('Nothing was paid.').first().waitFor()
  expect(await sends()).toEqual(['eth_signTypedData_v4'])
  expect(await stored()).toEqual([])
  await primary().click()
  await screenOf('sent').waitFor()
  expect(await sends()).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction'])
})

test('the screen explains why an authorization was given up, and offers another way to pay', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), signer)
  await expectInFlight()
  const refusal = { status: 'refused', reason: 'insufficient_token' }
  respondWith(secret, { ...inFlight(refusal), version: 3 })
  await screenOf('problem').waitFor()
  await page.getByText('Not enough USDC').first().waitFor()
  expect(await stored()).toEqual([])
  await page.reload()
  await addWallet(signer)
  await open(secret)
  await page.getByText('Not enough USDC. Nothing was sent.').first().waitFor()
  await page.getByRole('tab', { name: 'QR code' }).waitFor()
})

test('closing before the signature is submitted warns that the payment may not be made', async () => {
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: { later: signature } })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('the payment may not be made').first().waitFor()
  await page.getByRole('button', { name: 'Close anyway' }).click()
  await page.locator('.sheet').waitFor({ state: 'detached' })
  await respondLater()
  expect(await stored()).toEqual([])
  expect(submittedAuthorizations()).toEqual([])
})

test('a payer without gas for a transfer may go on if the wallet pays the fee', async () => {
  await payBy(secret, intent(), { eth_getBalance: '0x0' })
  await page.getByText('Not enough for the network fee').first().waitFor()
  expect(await sends()).toEqual([])
  await page.getByRole('button', { name: 'Continue anyway' }).click()
  await screenOf('sent').waitFor()
  expect(await sends()).toEqual(['eth_sendTransaction'])
})

test('a transfer shows its network fee, before and during the request', async () => {
  await openFor(secret, intent(), { eth_gasPrice: '0x3b9aca00', eth_sendTransaction: 'never' })
  await page.getByText('The fee on Base Sepolia is paid in ETH.').waitFor()
  await pickWallet()
  await page.getByText('Network fee: about 0.000066 ETH').waitFor()
})
