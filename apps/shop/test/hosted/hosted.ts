import { randomBytes } from 'node:crypto'
import { createClient } from '@payment-intents/node'
import { describe, expect, test } from 'vitest'
import { holdClock } from '../../../../packages/browser/test/support/holdClock.ts'
import { patientCalls } from '../../../../tests/support/patience.ts'
import { isFull } from '../../../../tests/support/tier.ts'
import { until } from '../../../../tests/support/until.ts'
import { mineByHand, mineEachSecond } from '../orderSteps.ts'
import { stack } from '../stack.ts'
import {
  follow,
  link,
  openLink,
  openTab,
  prefer,
  screenOf,
  secret,
  sharedTab,
  stateOf,
  traced,
  tracePages,
  untilSession,
} from './hostedPageSteps.ts'

describe('the hosted page', () => {
  tracePages()

  test.runIf(isFull)(
    'a link that is opened while the service is unreachable shows it, and opens when the payer tries again',
    async () => {
      const handoff = await fetch(`${stack.apiUrl}/v1/payment_intents/handoff`, {
        method: 'POST',
        body: JSON.stringify({ client_secret: secret }),
      })
      const { url } = (await handoff.json()) as { url: string }
      const page = await openTab()
      await holdClock(page)
      await page.route('**/checkout/session', (route) => route.fulfill({ status: 503 }))
      await page.goto(url)
      await page.getByRole('alert').getByText('The payment service cannot be reached').waitFor()
      // Until the clock moves, only the payer retries.
      await page.unroute('**/checkout/session')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.clock.resume()
      await screenOf(page, 'pay').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    },
  )

  test('a link alone is enough to pay, through a reload and a second opening', async () => {
    const page = await sharedTab()
    await page.goto(link, { waitUntil: 'domcontentloaded' })
    await screenOf(page, 'pay').waitFor()
    await untilSession(page)
    await page.getByRole('dialog', { name: 'Hollow Hill' }).waitFor()
    expect(await page.title()).toContain('Hollow Hill')
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0)
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')

    // Nothing is found on the chain until blocks are mined.
    await mineByHand()
    await page.getByRole('button', { name: 'Test Wallet' }).click()
    await screenOf(page, 'sent').waitFor()
    const [intentId = ''] = secret.split('_secret_')
    expect(await stateOf(page)).toContain(intentId)
    expect(await stateOf(page)).not.toContain(traced)

    // The session outlives the page.
    await page.reload()
    await screenOf(page, 'sent').waitFor()
    await openLink(page, 'sent')
    // A restored page may still be loading when the browser reports it.
    const hash = () => page.evaluate(() => location.hash)
    await page.goBack()
    expect(await until(hash)).toBe('')
    await page.goForward()
    expect(await until(hash)).toBe('')

    await mineEachSecond()
    await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    const events = await stack.eventsOf(intentId)
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'payment_intent.pending_confirmations',
      'payment_intent.succeeded',
    ])
  })

  test.each(
    [
      ['no fragment', () => '', 'Open your payment link again'],
      ['a secret that is cut short', () => link.slice(link.indexOf('#'), -1), 'Payment not found'],
      ['an empty fragment', () => '#', 'Open your payment link again'],
      [
        'a secret that is wrong',
        () => '#pi_00000000000000000000000000000_secret_0',
        'Payment not found',
      ],
    ].slice(0, isFull ? 4 : 2) as [string, () => string, string][],
  )('a link with %s shows what to do', async (_, fragment, name) => {
    const page = await sharedTab()
    await page.goto(`${stack.apiUrl}/checkout/${fragment()}`)
    await page.getByRole('heading', { name }).waitFor()
    expect(await page.evaluate(() => location.hash)).toBe('')
  })

  test.runIf(isFull)(
    'the second of two tabs prompts no wallet, even after the first is closed',
    async () => {
      const first = await openTab(({ method }) =>
        method === 'eth_sendTransaction' ? 'hang' : 'approve',
      )
      await openLink(first)
      await first.getByRole('button', { name: 'Test Wallet' }).click()
      await first.locator('[data-screen=wallet][data-detail=confirming]').waitFor()

      const second = await openTab()
      await openLink(second, 'requested')
      await first.close()
      await openLink(second, 'requested')
      expect(await second.locator('.primary, [role=tab], [part=wallet]').count()).toBe(0)

      // Only the payer knows that nothing was sent.
      await second.getByRole('button', { name: 'I am sure that it was not sent' }).click()
      await second.getByRole('button', { name: 'Test Wallet' }).click()
      await second.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    },
  )

  test.runIf(isFull)(
    'the page shows that another amount has arrived by hand, and says not to pay again',
    async () => {
      // The notice is shown only for the five likeliest payments: no other payment is open at this price.
      const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
      follow((await client.createPaymentIntent({ amount_units: 5_550_000 })).client_secret)
      const page = await openTab()
      await openLink(page)
      await page.getByRole('tab', { name: 'QR code' }).click()
      await sendByHand(stack.wallet, 5_540_000)
      await page.getByRole('heading', { name: 'We see 5.54 USDC' }).waitFor()
      await page.getByRole('button', { name: 'Yes, I sent it' }).click()
      await page.getByRole('heading', { name: 'Do not pay again' }).waitFor()
    },
  )

  test.runIf(isFull)(
    'the remainder of a partial payment is paid by QR code at its own address',
    async () => {
      const wallet_address = `0x${randomBytes(20).toString('hex')}` as const
      const client = createClient({ apiKey: stack.apiKey, baseUrl: stack.apiUrl, ...patientCalls })
      const intent = await client.createPaymentIntent({ amount_units: 7_000_000, wallet_address })
      follow(intent.client_secret)
      const page = await openTab()
      await openLink(page)
      await sendByHand(wallet_address, 3_000_000)
      await page
        .locator('p.note', { hasText: '3.00 USDC has arrived. This much is still to pay.' })
        .waitFor()
      await page.getByRole('tab', { name: 'QR code' }).click()
      await page.getByText('Payment request', { exact: true }).click()
      const rest = Number(intent.payable_amount_units) - 3_000_000
      await page.locator('p.note', { hasText: `Send exactly ${rest / 1_000_000} USDC` }).waitFor()
      await page.getByRole('img', { name: /QR code/ }).waitFor()
      await sendByHand(wallet_address, rest)
      await page.getByRole('heading', { name: 'Paid', exact: true }).waitFor()
    },
  )

  test.runIf(isFull)(
    'a browser that prefers another language loads its messages from the server',
    async () => {
      await prefer('es-MX')
      const messages = await (await fetch(`${stack.apiUrl}/v1/locales/es.json`)).json()
      const title: unknown = messages['no_link.title']
      expect(title).toMatch(/\w/)
      expect(title).not.toBe('Open your payment link again')
      const page = await openTab()
      await page.goto(`${stack.apiUrl}/checkout/`)
      await page.getByRole('heading', { name: String(title), exact: true }).waitFor()
    },
  )

  test('a link can name another language and theme than the browser has', async () => {
    const page = await sharedTab()
    await page.goto(
      `${stack.apiUrl}/checkout/?locale=ar&theme=dark${link.slice(link.indexOf('#'))}`,
    )
    await screenOf(page, 'pay').waitFor()
    const dialog = page.locator('dialog.dark')
    await dialog.waitFor()
    expect(await dialog.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
    expect(new URL(page.url()).hash).toBe('')
  })
})

async function sendByHand(to: `0x${string}`, units: number): Promise<void> {
  const payer = stack.chain.accounts[6]
  if (!payer) throw new Error('The development chain has no seventh account.')
  await stack.chain.pay({ from: payer.address, to, amount: BigInt(units) })
}
