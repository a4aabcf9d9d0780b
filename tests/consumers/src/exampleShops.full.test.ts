import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { webhookEvent, webhookRequest } from '@payment-intents/testing/webhooks'
import { expect, inject, onTestFinished, test } from 'vitest'
import { relayer } from '../../../apps/shop/test/startService.ts'
import { launchChromium } from '../../support/launchChromium.ts'
import { until } from '../../support/until.ts'
import { buy } from './support/buy.ts'
import { type ExampleShop, examples, startExample } from './support/exampleShop.ts'
import { run } from './support/run.ts'

const folders = globSync('*/README.md', { cwd: examples }).map(dirname).sort()
/** It has no page. */
const names = folders.filter((name) => name !== 'x402-api')

test.for(names)('%s, copied out, takes a payment and fulfils once', async (name, { skip }) => {
  const python = await run('python3', ['--version']).catch(() => undefined)
  if (name === 'python' && !python) skip('python3 is not installed')
  const shop = await startExample(name)
  onTestFinished(() => shop.remove())
  await shop.script('typecheck')
  expect((await shop.script('listen', '--print-secret')) ?? 'whsec_').toMatch(/^whsec_/)

  const browser = await launchChromium()
  onTestFinished(() => browser.close())
  await buy(browser, shop)

  await expectOnlySigned(shop)
})

test('x402-api, copied out, sells a call to the client of the protocol', async () => {
  const api = await startExample('x402-api')
  onTestFinished(() => api.remove())
  await giveRelayer(10n ** 18n)
  // The other examples are paid by transfers.
  onTestFinished(() => giveRelayer(0n))
  expect((await fetch(`${api.url}/weather`)).status).toBe(402)
  const bought = await api.script('buy')
  expect(bought).toMatch(/^200 \{"sky":"clear","celsius":21\}\npaid in 0x[0-9a-f]{64}\n$/)
})

/** The service reads what its relayer holds from time to time. */
async function giveRelayer(wei: bigint): Promise<void> {
  const { url, rpcUrl } = inject('service')
  const params = [relayer, `0x${wei.toString(16)}`]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params })
  await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await until(async () => {
    const { chains } = await (await fetch(`${url}/readyz`)).json()
    expect(chains[0].relayer.offered).toBe(wei > 0n)
  })
}

/** Its webhook handler takes what the service has signed just now, and nothing else. */
async function expectOnlySigned({ url, webhookSecret }: ExampleShop): Promise<void> {
  const event = webhookEvent('payment_intent.succeeded')
  const other = `whsec_${randomBytes(32).toString('base64')}`
  const genuine = webhookRequest(event, [other, webhookSecret])
  const timestamp = new Date(Date.now() - 600_000)
  const forged = [
    { method: 'POST', body: '{}' },
    webhookRequest(event, other),
    webhookRequest(event, webhookSecret, { timestamp }),
    { ...genuine, body: `${genuine.body} ` },
  ]
  for (const delivery of forged) {
    expect(await fetch(`${url}/webhooks`, delivery)).toMatchObject({ status: 400 })
  }
  expect(await fetch(`${url}/webhooks`, genuine)).toMatchObject({ status: 200 })
}
