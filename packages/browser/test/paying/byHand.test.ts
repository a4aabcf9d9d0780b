import { describe, expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import type { Intent } from '../../src/service/parseIntent.ts'
import { axeFaults } from '../support/axe.ts'
import { openFor, paid, primary, respondWith, secret } from '../support/checkoutPage.ts'
import { setHandoffUrl } from '../support/origins.ts'
import { languages } from '../support/readMessages.ts'
import { context, open, page, screenOf } from '../support/shopPage.ts'
import { intent, txHash } from '../support/testIntents.ts'

const order = {
  ...{ price_units: 30_000_000, amount_units: 30_009_900, metadata: { order_id: '1042' } },
  manual: { payable_amount_units: 30_009_900, payment_uri: 'ethereum:…' },
}
const manualIntent = (changes: Partial<Intent> = {}) =>
  intent({ ...order, lane: 'manual', ...changes })

const sizes = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
  ['small phone', { width: 360, height: 640 }],
] as const

const tags = isFull ? ['en', ...languages] : ['de', 'ar']

describe.each(sizes)('a payment by hand on a %s', (device, size) => {
  const isPhone = device !== 'desktop'

  test.each(tags)(
    'shows both fields to enter without scrolling, below the warning: %s',
    async (locale) => {
      await page.setViewportSize(size)
      if (isPhone) await touch()
      respondWith(secret, manualIntent())
      await open(secret, { locale })
      const note = page.locator('.panel .note')
      const fields = page.locator('.fields button')
      await note.waitFor()
      const heading = await boxOf(page.locator('h2'))
      const warning = await boxOf(note)
      const first = await boxOf(fields.nth(0))
      const second = await boxOf(fields.nth(1))
      const code = await boxOf(page.locator('.qr'))
      expect(heading.y).toBeGreaterThanOrEqual(0)
      expect(warning.y + warning.height).toBeLessThan(first.y)
      expect(first.y).toBeLessThan(second.y)
      const below = await boxOf(page.locator('.fields'))
      expect(second.y + second.height).toBeLessThanOrEqual(below.y + below.height)
      // The fade at a cut edge covers nothing of it.
      expect(below.y + below.height).toBeLessThanOrEqual(size.height - fade)
      expect(code.y).toBeGreaterThan(below.y)
      expect(await page.locator('dialog').evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    },
  )

  test('fades at a cut edge', async () => {
    await page.setViewportSize(size)
    if (isPhone) await touch()
    await openFor(secret, manualIntent())
    await page.locator('.qr svg').waitFor()
    const cut = await page.locator('dialog').evaluate(({ scrollHeight, clientHeight }) => {
      return scrollHeight - clientHeight
    })
    expect(cut).toBeGreaterThan(0)
    expect((await edgeColors()).size, 'the lowest line is of the paper alone').toBe(1)
  })
})

test('the headline is the only amount to send, and a text explains it', async () => {
  await openFor(secret, manualIntent())
  await page.getByRole('heading', { name: '30.0099 USDC' }).waitFor()
  await page.getByText('Price 30.00 + 0.0099, which identifies your payment').waitFor()
  await page.getByText('If your exchange deducts its fee, add it: 30.0099 USDC').waitFor()
})

test('the code for a phone shows the price, and how to pay from an exchange', async () => {
  setHandoffUrl('https://pay.example/checkout/pi_test_0001?handoff=x')
  await openFor(secret, intent(order))
  await page.getByRole('heading', { name: '30.00 USDC' }).waitFor()
  await page.getByText('From an exchange? Choose “Address only” and copy the amount.').waitFor()
  await page.getByText('Address only', { exact: true }).click()
  await page.getByRole('heading', { name: '30.0099 USDC' }).waitFor()
})

describe('a transfer close to the amount', () => {
  const miss = { tx_hash: txHash, amount_units: 29_009_900 }
  const other = { tx_hash: `0x${'ef'.repeat(32)}`, amount_units: 31_000_000 }
  const withNearMisses = (...near_misses: Intent['near_misses']) =>
    manualIntent({ near_misses, version: 2 })

  test('prompts the payer on a separate screen to confirm it, with the contact', async () => {
    await openFor(secret, manualIntent())
    await page.getByText('Send exactly 30.0099 USDC').waitFor()
    respondWith(secret, withNearMisses(miss))
    await page.getByRole('heading', { name: 'We see 29.0099 USDC' }).waitFor()
    expect(await page.getByText('Send exactly').count()).toBe(0)
    expect(await primary().textContent()).toBe('Yes, I sent it')
    await primary().click()
    await page.getByRole('heading', { name: 'Do not pay again' }).waitFor()
    const contact = page.getByRole('link', { name: 'Contact Kiosk' })
    expect(await contact.getAttribute('href')).toBe(
      'mailto:help%2Busdc@kiosk.example?subject=Kiosk%3A%201042',
    )
    await page.getByText('help+usdc@kiosk.example · Order 1042').waitFor()
    expect(await page.getByText('Send exactly').count()).toBe(0)
    expect(await axeFaults(page)).toEqual([])
    // The merchant has matched it.
    respondWith(secret, { ...paid, version: 5 })
    await screenOf('paid').waitFor()
  })

  test('lets the payer go on if it is not theirs, until another transfer arrives', async () => {
    await openFor(secret, withNearMisses(miss))
    await page.getByRole('button', { name: 'It was not me: go on paying' }).click()
    await page.getByText('Send exactly 30.0099 USDC').waitFor()
    expect(await page.getByText('do not pay again').count()).toBe(0)
    respondWith(secret, manualIntent({ near_misses: [other, miss], version: 3 }))
    await page.getByRole('heading', { name: 'We see 31.00 USDC' }).waitFor()
  })

  test('stays confirmed by the payer when another transfer arrives, and after the intent expires', async () => {
    await openFor(secret, withNearMisses(miss))
    await primary().click()
    respondWith(secret, manualIntent({ near_misses: [other, miss], version: 3 }))
    await page.getByText('29.0099 USDC has arrived').first().waitFor()
    respondWith(secret, manualIntent({ status: 'expired', near_misses: [miss], version: 4 }))
    await page.getByText('Do not pay again: contact Kiosk.').first().waitFor()
  })
})

describe('the contact', () => {
  test.each([
    ['expired', manualIntent({ status: 'expired' })],
    ['canceled', manualIntent({ status: 'canceled' })],
    ['paid', { ...paid, amount_received_units: 50_000_200, metadata: order.metadata }],
  ] as const)('is shown on the screen %s', async (screen, label) => {
    await openFor(secret, { ...label, support: 'https://kiosk.example/help?a=<b>' })
    await screenOf(screen).waitFor()
    const contact = page.getByRole('link', { name: 'Contact Kiosk' })
    expect(await contact.getAttribute('href')).toBe('https://kiosk.example/help?a=<b>')
    expect(await contact.getAttribute('target')).toBe('_blank')
    expect(await contact.getAttribute('rel')).toContain('noopener')
    await page.getByText('kiosk.example/help?a=<b>').waitFor()
    await page.getByText('Order 1042').waitFor()
    expect(await axeFaults(page)).toEqual([])
  })

  test.each([
    ...['javascript:alert(1)', 'data:text/html,x', 'http://kiosk.example', 'kiosk'],
    ...['https://kiosk.example@evil.example', 'a@b.example?bcc=c@evil.example', null],
  ])('is not shown if it is neither a mail address nor an https URL: %s', async (support) => {
    await openFor(secret, manualIntent({ status: 'expired', support }))
    await screenOf('expired').waitFor()
    expect(await page.getByText('Contact Kiosk').count()).toBe(0)
  })

  test('names the payment if the merchant has set no order id', async () => {
    await openFor(secret, manualIntent({ status: 'expired', metadata: { order_id: { x: 1 } } }))
    await page.getByText('help+usdc@kiosk.example · Order pi_test_0001').waitFor()
  })
})

const fade = 24

async function touch() {
  const cdp = await context.newCDPSession(page)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 })
}

async function boxOf(of: ReturnType<typeof page.locator>) {
  const box = await of.boundingBox()
  if (!box) throw new Error('It is not drawn.')
  return box
}

/** The colors of the lowest line of the dialog. */
async function edgeColors(): Promise<Set<string>> {
  const dialog = await boxOf(page.locator('dialog'))
  const clip = {
    x: dialog.x + 30,
    y: dialog.y + dialog.height - 1,
    width: dialog.width - 60,
    height: 1,
  }
  const picture = (await page.screenshot({ clip })).toString('base64')
  return new Set(
    await page.evaluate(async (data) => {
      // The policy of the page lets nothing fetch this.
      const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes]))
      const canvas = new OffscreenCanvas(bitmap.width, 1).getContext('2d')
      canvas?.drawImage(bitmap, 0, 0)
      const pixels = [...(canvas?.getImageData(0, 0, bitmap.width, 1).data ?? [])]
      return pixels.flatMap((_, at) => (at % 4 ? [] : [`${pixels.slice(at, at + 3)}`]))
    }, picture),
  )
}
