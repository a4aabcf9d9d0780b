import { expect, onTestFinished, test } from 'vitest'
import { finish, resolve, settleWallet } from './checkoutSteps.ts'
import { checkOut, fundRelayer, hold, untilFulfilled } from './orderSteps.ts'
import { rest, stack } from './stack.ts'
import { relayer } from './startService.ts'

/** An index into the development chain's accounts. */
const accountIndex = 7

test('an account with USDC and no ETH pays by a signature, and the relayer pays the gas', async () => {
  const payer = stack.chain.accounts[accountIndex]?.address ?? ''
  const before = await balanceOf(payer)
  onTestFinished(() => hold(payer, before))
  await hold(payer, 0n)
  await fundRelayer()

  const by = 'Pay with USDC'
  const opened = await checkOut({ good: 'Little Agave', by, account: accountIndex })
  const { page, client_secret } = opened
  await page.getByRole('button', { name: 'Demo Wallet' }).click()
  await settleWallet(page, 'Approve', 'Connect to')
  // Shown once the account is known.
  await page.getByText('No network fee').waitFor({ state: 'attached' })
  const consent = page.getByRole('dialog', { name: 'Demo Wallet Pay' })
  await consent.getByText('none: somebody else submits it').waitFor()
  await settleWallet(page, 'Approve', 'Pay')
  await finish(page, stack.chain)
  await untilFulfilled(opened)

  const intent = await resolve(client_secret)
  expect(intent).toMatchObject({
    status: 'succeeded',
    amount_received_units: intent.price_units,
    exceptions: [],
    authorization: { from: payer, status: 'used', tx_hash: intent.tx_hash },
  })
  const hash = intent.tx_hash
  const sent = await stack.chain.rpc<{ from: string }>('eth_getTransactionByHash', [hash])
  expect(sent.from).toBe(relayer.toLowerCase())
  expect(await balanceOf(payer)).toBe(0n)
  await rest(page)
})

async function balanceOf(account: string): Promise<bigint> {
  return BigInt(await stack.chain.rpc<string>('eth_getBalance', [account, 'latest']))
}
