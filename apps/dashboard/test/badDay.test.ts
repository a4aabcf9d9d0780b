import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { newId } from '../../server/src/store/lists/ids.ts'
import { insertMerchant } from '../../server/src/store/merchants/merchants.ts'
import { refundingOfTest } from '../../server/test/support/server/refunding.ts'
import { post, randomWallet } from '../../server/test/support/server/testServer.ts'
import { addAuthenticator } from './support/addAuthenticator.ts'
import { openWithWallet } from './support/openWithWallet.ts'

const url = `http://localhost:${await freePort()}`
const refunding = refundingOfTest({ dashboard: { url, now: Date.now } })
const { reader, chain } = refunding

test('the dashboard corrects each failed payment of a bad day, to the unit', async () => {
  const { shop, other } = refunding
  const create = (order_id: string) =>
    reader.create({ wallet_address: shop.address, metadata: { order_id } })
  const fee = 500_000

  // An exchange kept its fee and sent no reference.
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

  const { page, signed, close } = await openWithWallet({ ...refunding, url })
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

    // The payer proves their address at the link.
    await page.getByText('Send this link to the payer alone').waitFor()
    const link = await page.locator('.copied code').first().textContent()
    await nameDestination(link ?? '', other.address)
    await page.getByText('Somebody with the link named this address').waitFor()
    await page.getByRole('button', { name: 'Confirm this address' }).click()
    await page.getByRole('button', { name: 'Sign with Vault' }).click()
    await page.getByText('Pending').waitFor()
    await refunding.submit(signed[0] ?? expect.fail('nothing was signed'))
    await reader.read()
    // A reorg removes the transfer once; it is mined again later.
    await chain.reorg(1)
    await reader.read()
    await refunding.submit(signed[0] ?? expect.fail('nothing was signed'))
    await reader.settle()
    await page.getByText('Succeeded').waitFor()

    // The only remaining item is the funding of the wallet before any order.
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

  /** The status and the received units of each order in the exported file. */
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

test('the checklist alone leads a new merchant from the sign-in link to a paid test order', async () => {
  const merchantId = newId('mer', Date.now())
  const wallet = randomWallet()
  const shop = { id: merchantId, name: 'New', defaultChain: null }
  await insertMerchant(reader.db.pool, shop)
  const { page, close } = await openWithWallet({ ...refunding, url, merchantId })
  try {
    await addAuthenticator(page)
    const item = (text: string) => page.getByRole('listitem').filter({ hasText: text })
    const begin = async (text: string) => {
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('link', { name: text }).click()
    }

    await begin('Add a passkey')
    await page.getByLabel('Name of the passkey').fill('Laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await item('Laptop').waitFor()

    await begin('Name the wallet')
    await page.getByLabel('Network').selectOption('Base')
    await page.getByLabel('Address').first().fill(wallet)
    await page.getByRole('button', { name: 'Use this wallet' }).click()
    await item(wallet).waitFor()

    await begin('Create an API key')
    await page.getByRole('button', { name: 'New API key' }).click()
    await page.getByLabel('Label').fill('shop backend')
    await page.getByRole('button', { name: 'New API key' }).last().click()
    await page.getByText('It is shown once').waitFor()

    await begin('Say where events are sent')
    await page.getByRole('button', { name: 'New endpoint' }).click()
    await page.getByLabel('URL').fill('https://shop.example.com/webhooks')
    await page.getByRole('button', { name: 'New endpoint' }).last().click()
    await item('https://shop.example.com/webhooks').waitFor()

    await begin('Make a payment link')
    await page.getByRole('button', { name: 'New link' }).click()
    await page.getByLabel('What it is for').fill('Test order')
    await page.getByLabel('Amount in USDC').fill('12.50')
    await page.getByRole('button', { name: 'New link' }).last().click()
    await page.getByRole('heading', { name: 'Share it' }).waitFor()
    const id = page.url().split('/').at(-1)

    // The payer opens the link.
    const visit = { id, chain: 'base', visitor: randomWallet() }
    const paying = await post(reader.server, '/v1/payment_links/pay', visit)
    const intent = await reader.resolved(await paying.json())
    await reader.pay(intent, 'reference', 12_500_000)
    await page.getByRole('link', { name: 'Overview' }).click()
    await item('Create an API key').getByText('(done)').waitFor()
    await reader.settle()
    // The last item checks itself off, and the page shows the received amount.
    await page.getByText('Set up your shop').waitFor({ state: 'detached' })
    await page.locator('dd.large').getByText('12.50 USDC').waitFor()
  } finally {
    await close()
  }
})
