import { text } from 'node:stream/consumers'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { launchChromium } from '../../../tests/support/launchChromium.ts'
import { invite } from '../../server/src/account/people.ts'
import { refundingOfTest } from '../../server/test/support/server/refunding.ts'
import type { Json } from '../../server/test/support/server/testServer.ts'

const url = `http://localhost:${await freePort()}`
const refunding = refundingOfTest({ dashboard: { url, now: Date.now } })
const { reader, chain } = refunding

/** A browser of the shop's owner, in which a wallet signs with the merchant's key. */
async function openDashboard() {
  const account = privateKeyToAccount(refunding.shop.privateKey)
  const browser = await launchChromium()
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const signed: { authorization: Json; signature: Hex }[] = []
  await page.exposeFunction('signTypedData', async (json: string) => {
    const { domain, types, primaryType, message } = JSON.parse(json)
    const { EIP712Domain: _, ...own } = types
    const signature = await account.signTypedData({ domain, types: own, primaryType, message })
    signed.push({ authorization: message, signature })
    return signature
  })
  await page.addInitScript(
    ([address, chainId]) => {
      const answers: Record<string, (params: string[]) => unknown> = {
        eth_requestAccounts: () => [address],
        eth_chainId: () => chainId,
        eth_signTypedData_v4: ([, json]) =>
          (window as unknown as { signTypedData(json?: string): unknown }).signTypedData(json),
      }
      const provider = {
        request: async ({ method, params }: { method: string; params: string[] }) =>
          answers[method]?.(params),
      }
      const detail = { info: { uuid: 'vault', name: 'Vault', icon: '', rdns: 'vault' }, provider }
      addEventListener('eip6963:requestProvider', () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
      )
    },
    [account.address, `0x${chain.chainId.toString(16)}`] as const,
  )
  const owner = { merchantId: reader.merchant.id, name: 'Ada', email: null, role: 'owner' } as const
  const context = { dashboardUrl: url, now: Date.now }
  await page.goto((await invite(reader.db.pool, context, owner)).url)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  return { page, signed, close: () => browser.close() }
}

test('a bad day: each payment that went wrong is put right in the dashboard, to the unit', async () => {
  const { shop, other } = refunding
  const create = (order_id: string) =>
    reader.create({ wallet_address: shop.address, metadata: { order_id } })
  const fee = 500_000

  // An exchange kept its fee, and names no reference.
  const short = await create('short')
  await reader.pay(short, 'manual', short.payable_amount_units - fee)
  const late = await create('late')
  await refunding.send(`/v1/payment_intents/${late.id}/cancel`, {})
  await reader.pay(late, 'reference', late.amount_units)
  const twice = await create('twice')
  await reader.pay(twice, 'reference', twice.amount_units)
  await reader.settle()
  await reader.pay(twice, 'reference', twice.amount_units)
  await reader.settle()

  const { page, signed, close } = await openDashboard()
  try {
    const item = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await page.goto(`${url}/needs-you`)
    const suggestion = item('Perhaps for short, 25.00 USDC').last()
    await suggestion.getByRole('button', { name: 'Assign' }).click()
    await suggestion.waitFor({ state: 'detached' })
    await page.goto(`${url}/payments?q=short`)
    await page.getByRole('heading', { level: 1, name: 'short' }).waitFor()
    await accept()

    await page.goto(`${url}/needs-you`)
    await item('A payment came late').getByRole('link', { name: 'late' }).click()
    await accept()
    await reader.settle()

    await page.goto(`${url}/needs-you`)
    await item('Too much was paid').getByRole('link', { name: 'twice' }).click()
    await page.getByRole('button', { name: 'Refund' }).click()
    const dialog = page.getByRole('dialog', { name: 'Refund' })
    await dialog.getByLabel('Amount in USDC').fill(String(twice.amount_units / 1_000_000))
    await dialog.getByRole('button', { name: 'Refund' }).click()

    // The payer proves an address of their own by the link.
    await page.getByText('Send this link to the payer alone').waitFor()
    const link = await page.locator('.copied code').first().textContent()
    await nameDestination(link ?? '', other.address)
    await page.getByText('Somebody with the link named this address').waitFor()
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await page.getByRole('button', { name: 'Sign with Vault' }).click()
    await page.getByText('Pending').waitFor()
    await refunding.submit(signed[0] ?? expect.fail('nothing was signed'))
    await reader.read()
    // The chain takes it back once, and again has it later.
    await chain.reorg(1)
    await reader.read()
    await refunding.submit(signed[0] ?? expect.fail('nothing was signed'))
    await reader.settle()
    await page.getByText('Succeeded').waitFor()

    // The wallet was funded before any order, which is the only thing left.
    await page.goto(`${url}/needs-you`)
    await item('1,000,000.00 USDC').waitFor()
    expect(await page.locator('main .card').count()).toBe(1)
    expect(await exported()).toEqual({
      short: ['succeeded', short.payable_amount_units - fee],
      late: ['succeeded', late.amount_units],
      twice: ['succeeded', 2 * twice.amount_units],
    })
    await page.goto(`${url}/payments/${twice.id}`)
    await page.getByText('refund.succeeded').waitFor()
  } finally {
    await close()
  }

  async function accept(): Promise<void> {
    await page.getByRole('button', { name: 'Accept as paid' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Accept as paid' }).click()
    await page
      .getByText(/Confirming|Succeeded/)
      .first()
      .waitFor()
  }

  async function nameDestination(link: string, destination: string): Promise<void> {
    const token = new URL(link).hash.slice(1)
    const response = await reader.server.request('/v1/refunds/destination', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, destination }),
    })
    expect(response.status).toBe(200)
    await page.reload()
  }

  /** The status and the received units of each order, by the file that the page saves. */
  async function exported(): Promise<Record<string, [string, number]>> {
    await page.goto(url)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Payments' }).click(),
    ])
    const [heading = '', ...rows] = (await text(await download.createReadStream()))
      .trim()
      .split('\r\n')
    const at = (name: string) => heading.split(',').indexOf(name)
    const entries = rows.map((row) => {
      const fields = row.split(',')
      const [, order = ''] = /""order_id"":""(\w+)""/.exec(row) ?? []
      const units = Number(fields[at('amount_received_units')])
      return [order, [fields[at('status')] ?? '', units]] as const
    })
    return Object.fromEntries(entries) as Record<string, [string, number]>
  }
})
