import { randomBytes } from 'node:crypto'
import { globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClient } from '@payment-intents/node'
import { webhookEvent, webhookRequest } from '@payment-intents/testing/webhooks'
import { expect, inject, onTestFinished, test } from 'vitest'
import { relayer } from '../../../../apps/shop/test/startService.ts'
import { devAccounts } from '../../../../packages/testing/src/devChain/devAccounts.ts'
import { launchChromium } from '../../../support/launchChromium.ts'
import { patientCalls } from '../../../support/patience.ts'
import { until } from '../../../support/until.ts'
import { buy } from '../support/buy.ts'
import {
  caches,
  copyExample,
  type ExampleShop,
  examples,
  startExample,
} from '../support/exampleShop.ts'
import { run } from '../support/run.ts'
import { createIntent, payIntent } from '../support/serviceRequests.ts'

const folders = globSync('*/README.md', { cwd: examples }).map(dirname).sort()
/** These have no page. */
const others = ['refund', 'x402-api']
const names = folders.filter((name) => !others.includes(name))

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

test('refund, copied out, pays a return back once, however often it runs', async () => {
  const { root, folder } = await copyExample('refund')
  onTestFinished(() => rm(root, { recursive: true }))
  const { url, apiKey } = inject('service')
  const settings: Record<string, string> = {
    PAYMENT_INTENTS_API_KEY: apiKey,
    PAYMENT_INTENTS_BASE_URL: url,
    // The key of the merchant's wallet.
    REFUND_KEY: String(devAccounts[9]?.privateKey),
  }
  const template = await readFile(join(folder, '.env.example'), 'utf8')
  const filled = template.replace(/^(\w+)=.*$/gm, (_line, key) => `${key}=${settings[key]}`)
  await writeFile(join(folder, '.env'), filled)
  const env = { HOME: join(root, 'home'), ...caches }
  await mkdir(env.HOME)
  await run('npm', ['install'], { cwd: folder, env })
  await giveRelayer(10n ** 18n)
  onTestFinished(() => giveRelayer(0n))

  const intent = await createIntent()
  await payIntent(intent.id)
  const client = createClient({ apiKey, baseUrl: url, ...patientCalls })
  await until(async () => {
    expect(await client.paymentIntents.retrieve(intent.id)).toMatchObject({ status: 'succeeded' })
  })
  const buyer = String(devAccounts[3]?.address)
  // The documentation's own example of the same service has the return 1042.
  const args = ['--env-file=.env', 'main.js', '2042', intent.id, '10.00', buyer]
  const refund = () => run(process.execPath, args, { cwd: folder, env })
  const { stdout } = await refund()
  const [, id, hash] = /^(re_\w+) pending\n\1 succeeded (0x[0-9a-f]{64})\n$/.exec(stdout) ?? []
  expect(stdout).toContain(`${id} succeeded ${hash}`)
  expect((await refund()).stdout).toBe(`${id} succeeded\n${id} succeeded ${hash}\n`)

  const { data } = await client.refunds.list({ payment_intent: intent.id })
  expect(data).toMatchObject([{ id, amount_units: 10_000_000, destination: buyer, tx_hash: hash }])
  expect(stdout).not.toContain(settings.REFUND_KEY)
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

/** Its webhook handler accepts only events that the service has signed just now. */
async function expectOnlySigned({ url, webhookSecret }: ExampleShop): Promise<void> {
  const event = webhookEvent('payment_intent.succeeded')
  const otherSecret = `whsec_${randomBytes(32).toString('base64')}`
  const genuine = webhookRequest(event, [otherSecret, webhookSecret])
  const timestamp = new Date(Date.now() - 600_000)
  const headers = { 'content-type': 'application/json' }
  const forged = [
    { method: 'POST', headers, body: '{}' },
    webhookRequest(event, otherSecret),
    webhookRequest(event, webhookSecret, { timestamp }),
    { ...genuine, body: `${genuine.body} ` },
  ]
  for (const delivery of forged) {
    expect(await fetch(`${url}/webhooks`, delivery)).toMatchObject({ status: 400 })
  }
  expect(await fetch(`${url}/webhooks`, genuine)).toMatchObject({ status: 200 })
}
