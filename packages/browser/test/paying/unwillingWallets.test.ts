import { expect, test } from 'vitest'
import {
  changeWallet,
  openFor,
  payBy,
  pickWallet,
  pressPrimary,
  primary,
  respondLater,
  respondWith,
  secret,
  settleQueued,
  signer,
  stored,
  wallet,
  walletMethods,
} from '../support/checkoutPage.ts'
import { holdClock } from '../support/holdClock.ts'
import { authorizeWith, submittedAuthorizations } from '../support/origins.ts'
import { page, screenOf } from '../support/shopPage.ts'
import { authorization, gaslessIntent, intent } from '../support/testIntents.ts'

// Wallets as public bug reports describe them: each can pay, and receives no second payment request.

const sends = async () => (await walletMethods()).filter((method) => /send|sign/i.test(method))
const away = { ...wallet, eth_chainId: '0x1' }

function takeAll() {
  authorizeWith(() => {
    const accepted = { gasless: null, authorization: authorization(), version: 2 }
    respondWith(secret, gaslessIntent(accepted))
    return [200, {}]
  })
}

async function expectSubmittedOnce() {
  await page.getByText('Your payment is on its way').first().waitFor()
  expect(submittedAuthorizations()).toHaveLength(1)
}

test('a wallet that does not return a signature sends a transfer next', async () => {
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: { refuse: -32603 } })
  await page.getByText('This needs a network fee').first().waitFor()
  await page.getByText('Nothing was paid.').first().waitFor()
  await primary().click()
  await screenOf('sent').waitFor()
  expect(await sends()).toEqual(['eth_signTypedData_v4', 'eth_sendTransaction'])
})

test('a contract sends first, and signs next if its wallet cannot send', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), {
    ...{ ...signer, eth_getCode: '0x6080', eth_sendTransaction: { refuse: 4200 } },
  })
  await page.getByText('This wallet cannot pay here').first().waitFor()
  expect(await sends()).toEqual(['eth_sendTransaction'])
  await primary().click()
  await expectSubmittedOnce()
})

test('a batch that fails and that the wallet does not know is sent as a transaction', async () => {
  await payBy(secret, intent(), {
    wallet_getCapabilities: { '0x14a34': { atomic: { status: 'supported' } } },
    wallet_sendCalls: { refuse: -32603 },
    wallet_getCallsStatus: { refuse: 5730 },
  })
  await screenOf('sent').waitFor()
  expect(await sends()).toEqual(['wallet_sendCalls', 'eth_sendTransaction'])
})

test('the approval of the first request pays though the wallet refuses the second request', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'queued' })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await changeWallet({ eth_signTypedData_v4: { refuse: -32002 } })
  await pickWallet()
  await page.getByText('Your wallet already has a request').first().waitFor()
  await settleQueued('approve')
  await expectSubmittedOnce()
})

test('the signature of either request counts once after a retry', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'queued' })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await pickWallet()
  await expect.poll(sends).toHaveLength(2)
  await settleQueued('decline', 1)
  await page.getByText('You declined').first().waitFor()
  await settleQueued('approve', 0)
  await expectSubmittedOnce()
})

test('a signature after a transfer request is never submitted', async () => {
  await holdClock(page)
  await payBy(secret, gaslessIntent(), {
    ...{ ...signer, eth_signTypedData_v4: 'queued', eth_sendTransaction: 'never' },
  })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.clock.runFor(61_000)
  await page.getByRole('button', { name: 'Send it for a network fee instead' }).click()
  await page.getByText('Review the transfer there and approve it.').first().waitFor()
  await settleQueued('approve')
  await page.getByText('Review the transfer there and approve it.').first().waitFor()
  expect(submittedAuthorizations()).toEqual([])
  // The transfer alone is left; the payer's word is no proof that it was not sent.
  expect(await stored()).toHaveLength(1)
  await page.getByRole('button', { name: 'Back' }).click()
  await screenOf('requested').waitFor()
})

test('a wallet that is silent for three minutes, as a hardware wallet, pays once it signs', async () => {
  await holdClock(page)
  takeAll()
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'queued' })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  await page.clock.runFor(21_000)
  await page.getByText('Hardware wallets take a while.').first().waitFor()
  await page.clock.runFor(38_000)
  const buttons = page.locator('.sheet .primary, .sheet .quiet')
  expect(await buttons.allTextContents()).toEqual(['Back'])
  await page.clock.runFor(2_000)
  await primary().waitFor()
  await page.clock.runFor(120_000)
  await settleQueued('approve')
  await expectSubmittedOnce()
  expect(await sends()).toEqual(['eth_signTypedData_v4'])
})

test('a wallet that already prompts to connect goes on once the payer has responded', async () => {
  await holdClock(page)
  const silent = { eth_requestAccounts: { refuse: -32002 }, eth_accounts: [] }
  await payBy(secret, intent(), silent)
  await page.getByText('Your wallet already has a request').first().waitFor()
  await page.clock.runFor(3_000)
  await changeWallet({ eth_accounts: wallet.eth_requestAccounts })
  await page.clock.runFor(1_000)
  await screenOf('sent').waitFor()
  const connections = (await walletMethods()).filter((method) => method === 'eth_requestAccounts')
  expect(connections).toHaveLength(1)
})

test('a request to connect is open once, and its approval counts after Back', async () => {
  const later = { later: wallet.eth_requestAccounts }
  await payBy(secret, intent(), { eth_requestAccounts: later })
  await page.getByText('Connect').first().waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await pickWallet()
  await page.getByText('Connect').first().waitFor()
  expect(await walletMethods()).toEqual(['eth_requestAccounts'])
  await respondLater()
  await screenOf('sent').waitFor()
})

test('a switch that the wallet reports after 2.9 seconds counts', async () => {
  await holdClock(page)
  await payBy(secret, intent(), { ...away, wallet_switchEthereumChain: null })
  await expect.poll(walletMethods).toContain('wallet_switchEthereumChain')
  await page.clock.runFor(2_900)
  await page.getByText('Switch to Base Sepolia').first().waitFor()
  await changeWallet({ eth_chainId: wallet.eth_chainId })
  await page.clock.runFor(500)
  await screenOf('sent').waitFor()
})

test('a wallet that switches and never responds is still usable', async () => {
  await holdClock(page)
  await payBy(secret, intent(), { ...away, wallet_switchEthereumChain: 'never' })
  await expect.poll(walletMethods).toContain('wallet_switchEthereumChain')
  await changeWallet({ eth_chainId: wallet.eth_chainId })
  await page.clock.runFor(500)
  await screenOf('sent').waitFor()
})

test.each([
  ['without code, which signs', { eth_getCode: '0x' }, 1],
  ['with the code of a contract', { eth_getCode: '0x6080' }, 0],
])(
  '“no network fee” is shown only to an account that signs: an account %s',
  async (_, changes, promises) => {
    const neverResponds = { eth_signTypedData_v4: 'never', eth_sendTransaction: 'never' }
    await openFor(secret, gaslessIntent(), { ...signer, ...neverResponds, ...changes })
    await screenOf('pay').waitFor()
    const promise = page.locator('.sheet').getByText('no network fee')
    expect(await promise.count()).toBe(0)
    await pickWallet()
    await page.getByText('Confirm in').first().waitFor()
    expect(await promise.count()).toBe(promises)
  },
)

test('a page from the browser’s back/forward cache can send a second wallet request at once', async () => {
  takeAll()
  await payBy(secret, gaslessIntent(), { ...signer, eth_signTypedData_v4: 'queued' })
  await page.getByText('Check the amount there and sign.').first().waitFor()
  expect(await primary().count()).toBe(0)
  await restore()
  await primary().waitFor()
  expect(await pressPrimary()).toEqual(['eth_signTypedData_v4'])
  await settleQueued('approve', 1)
  await expectSubmittedOnce()
})

test('a restored page does not wait for its earlier connection request', async () => {
  await payBy(secret, intent(), { eth_requestAccounts: 'never' })
  await page.getByText('Connect').first().waitFor()
  await restore()
  await primary().waitFor()
  await changeWallet(wallet)
  expect(await pressPrimary()).toEqual(['eth_requestAccounts'])
  await screenOf('sent').waitFor()
})

test('a restored page offers no second transfer', async () => {
  await payBy(secret, intent(), { eth_sendTransaction: 'never' })
  await page.getByText('Review the transfer there').first().waitFor()
  await restore()
  await primary().waitFor()
  expect(await pressPrimary()).toEqual(['eth_requestAccounts'])
  expect(await sends()).toEqual(['eth_sendTransaction'])
})

const restore = () =>
  page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
  })

test('a wallet that reports a switch without switching is on the wrong network', async () => {
  await payBy(secret, intent(), { ...away, wallet_switchEthereumChain: null })
  await page.getByText('Your wallet is on another network').first().waitFor()
  expect(await sends()).toEqual([])
})
