import { describe, expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { axeFaults } from '../support/axe.ts'
import { serviceOrigin, useBrowser } from '../support/service/openHostedPage.ts'
import { expectNone, network, openLink, screenOf } from '../support/service/openLink.ts'
import { txHash } from '../support/testIntents.ts'

useBrowser()

const payer = `0x${'22'.repeat(20)}`
const openAmount = { amount_units: null, min_units: 5_000_000, max_units: 500_000_000 }
const field = 'input[inputmode=decimal]'

describe('a fixed amount', () => {
  test('the press on "Pay" creates the payment on the chosen network, and no earlier step does', async () => {
    const { page, service, complaints, urls } = await openLink()
    await screenOf(page, 'link').waitFor()
    expect(await page.getByRole('heading').textContent()).toMatch(/^24\.00\sUSDC$/)
    expect(await page.title()).toBe('Pay Kiosk')
    await page.getByText('Guitar lesson').waitFor()
    expect(await page.getByRole('radio').count()).toBe(2)
    await page.getByRole('radio', { name: 'Arbitrum Sepolia' }).check()
    expect(service.paid).toEqual([])
    expect(service.resolved).toEqual([{ id: service.link?.id }])
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    await page.getByText('Arbitrum Sepolia').first().waitFor()
    const [request] = service.paid
    expect(service.paid).toEqual([
      { id: service.link?.id, visitor: expect.stringMatching(/^[\w-]{22,64}$/), chain: 'arbitrum' },
    ])
    const stored = await page.evaluate(() => Object.values(sessionStorage))
    expect(stored).toEqual([request?.visitor])
    expect(urls.filter((url) => url.includes('secret'))).toEqual([])
    expectNone(complaints)
  })

  test('a single network is not offered as a choice, before or after the press', async () => {
    const { page, service } = await openLink({ link: { networks: [network('base')] } })
    await screenOf(page, 'link').waitFor()
    expect(await page.getByRole('radio').count()).toBe(0)
    await page.getByText('Base Sepolia').waitFor()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    expect(service.paid).toMatchObject([{ chain: 'base' }])
    expect(await page.getByText(/^Change/).count()).toBe(0)
  })

  test('a connected account decides which network is offered first, without a wallet prompt', async () => {
    const { page, service } = await openLink({
      accounts: [payer],
      before: (service) => {
        service.balances = { base: 1_000_000, arbitrum: 30_000_000 }
      },
    })
    await page.getByRole('radio', { name: /Arbitrum Sepolia.*You have 30\.00/ }).waitFor()
    expect(await page.getByRole('radio', { name: /Arbitrum/ }).isChecked()).toBe(true)
    expect(service.resolved.at(-1)).toMatchObject({ payer })
    expect(
      await page.evaluate(() => (window as unknown as { requests: string[] }).requests),
    ).toEqual(['eth_accounts'])
    await page.getByRole('radio', { name: /Base/ }).check()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    expect(service.paid).toMatchObject([{ chain: 'base' }])
  })

  test('markup is text, and a picture of another origin is not loaded', async () => {
    const { page, urls, complaints } = await openLink({
      link: {
        merchant_name: '<b>Kiosk</b>',
        description: '<img src=x onerror="window.hit=1"> \u202eevil',
        picture: 'https://elsewhere.example/x.png',
      },
    })
    await screenOf(page, 'link').waitFor()
    await page.getByText('<b>Kiosk</b>').first().waitFor()
    await page.getByText('<img src=x onerror="window.hit=1"> evil').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate(() => 'hit' in window)).toBe(false)
    expect(urls.filter((url) => !url.startsWith(`${serviceOrigin}/`))).toEqual([])
    expectNone(complaints)
  })

  test('a picture of the service is shown', async () => {
    const { page, complaints } = await openLink({ link: { picture: '/picture.png' } })
    await page.locator('img.picture').waitFor()
    expectNone(complaints)
  })
})

describe('an open amount', () => {
  test.each([
    ['de', '12,5'],
    ['ar-EG', '١٢٫٥'],
  ])('is parsed in the payer’s language: %s, %s', async (locale, typed) => {
    const { page, service } = await openLink({ locale, link: openAmount })
    await page.locator(field).fill(typed)
    await page.locator('.primary').click()
    await screenOf(page, 'pay').waitFor()
    expect(service.paid).toMatchObject([{ amount_units: 12_500_000 }])
  })

  test('shows an error at the field until it can be paid', async () => {
    const { page, service } = await openLink({ link: openAmount })
    for (const [typed, expected] of [
      ['', 'Enter an amount such as 12.50.'],
      ['1.1234567', 'At most 6 decimals.'],
      ['1e3', 'Enter an amount such as 12.50.'],
      ['500.000001', 'From 5.00 USDC to 500.00 USDC.'],
    ] as const) {
      await page.locator(field).fill(typed)
      await page.getByRole('button', { name: 'Pay' }).click()
      await expect
        .poll(async () => (await page.locator('#limits').textContent())?.replace(/\s/g, ' '))
        .toBe(expected)
      expect(await page.locator(field).getAttribute('aria-invalid')).toBe('true')
      expect(
        await page.evaluate(
          () => document.querySelector('#checkout > div')?.shadowRoot?.activeElement?.id,
        ),
      ).toBe('amount')
    }
    expect(service.paid).toEqual([])
    await page.locator(field).fill('5')
    await page.locator('.primary').click()
    await screenOf(page, 'pay').waitFor()
    expect(service.paid).toMatchObject([{ amount_units: 5_000_000 }])
  })

  test('is on the button, and Enter pays it', async () => {
    const { page, service } = await openLink({ link: openAmount })
    await page.getByLabel('How much do you want to pay?').fill('20')
    await page.getByRole('button', { name: /^Pay 20\.00\sUSDC$/ }).waitFor()
    await page.keyboard.press('Enter')
    await screenOf(page, 'pay').waitFor()
    expect(service.paid).toMatchObject([{ amount_units: 20_000_000, chain: 'base' }])
  })
})

test.each([
  ['inactive', 'This link is turned off'],
  ['expired', 'This link has expired'],
  ['used_up', 'This link has been paid'],
  ['later_status', 'This link is turned off'],
])('a link with the status %s shows it, with the merchant’s contact', async (status, title) => {
  const { page, service } = await openLink({ link: { status } })
  await page.getByRole('heading', { name: title }).waitFor()
  expect(await page.getByRole('link', { name: 'Contact Kiosk' }).getAttribute('href')).toContain(
    'mailto:help@kiosk.example',
  )
  expect(await page.getByRole('button', { name: 'Pay' }).count()).toBe(0)
  expect(service.paid).toEqual([])
})

test('an unknown link shows that it was not found', async () => {
  const { page, complaints } = await openLink({ link: 'unknown' })
  await page.getByRole('heading', { name: 'Payment link not found' }).waitFor()
  expectNone(complaints)
})

describe('failures', () => {
  test('the page shows why the link cannot be resolved, and retries', async () => {
    const { page, service } = await openLink({
      before: (service) => {
        service.refuses.resolve = 'cut'
      },
    })
    await page.getByRole('heading', { name: 'The payment service cannot be reached' }).waitFor()
    service.refuses.resolve = { status: 503 }
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'The payment service has a problem' }).waitFor()
    service.refuses.resolve = null
    await page.getByRole('button', { name: 'Try again' }).click()
    await screenOf(page, 'link').waitFor()
  })

  test('the choice stays after a press while offline, and the next press pays', async () => {
    const { page, service, context } = await openLink({ link: openAmount })
    await page.locator(field).fill('20')
    await context.setOffline(true)
    service.refuses.pay = 'cut'
    await page.getByRole('button', { name: 'Pay 20.00' }).click()
    await page.getByText('You are offline. Nothing was sent.').first().waitFor()
    await context.setOffline(false)
    service.refuses.pay = null
    expect(await page.locator(field).inputValue()).toBe('20')
    await page.getByRole('button', { name: 'Pay 20.00' }).click()
    await screenOf(page, 'pay').waitFor()
    // One visitor, regardless of the first request's outcome.
    expect(new Set(service.paid.map(({ visitor }) => visitor)).size).toBe(1)
  })

  test('the page shows a rate limit, and disables "Pay" until it ends', async () => {
    const { page, service } = await openLink({
      before: (service) => {
        service.refuses.pay = {
          ...{ status: 429, json: { error: 'rate_limited' } },
          headers: { 'retry-after': '30' },
        }
      },
    })
    await page.clock.install()
    await page.reload()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByText('Too many payments are open just now.').first().waitFor()
    const button = page.getByRole('button', { name: 'Pay 24.00' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    expect(service.paid.length).toBe(1)
    service.refuses.pay = null
    await page.clock.runFor(31_000)
    await button.click()
    await screenOf(page, 'pay').waitFor()
    expect(service.paid.length).toBe(2)
  })

  test('a link that has closed meanwhile is resolved again, and shows why', async () => {
    const { page, service } = await openLink()
    await screenOf(page, 'link').waitFor()
    service.refuses.pay = {
      status: 409,
      json: { error: 'conflict', reason: 'payment_link_closed' },
    }
    if (service.link) service.link = { ...service.link, status: 'used_up' }
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByRole('heading', { name: 'This link has been paid' }).waitFor()
  })

  test('a network without a wallet of the merchant shows an error, and another network pays', async () => {
    const { page, service } = await openLink()
    await screenOf(page, 'link').waitFor()
    service.refuses.pay = { status: 422, json: { error: 'wallet_invalid' } }
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByText('Nothing can be paid on Base Sepolia now.').first().waitFor()
    service.refuses.pay = null
    await page.getByRole('radio', { name: 'Arbitrum Sepolia' }).check()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
  })

  test('the choice of another network shows the open payment while it is on its way', async () => {
    const { page, service } = await openLink()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByRole('button', { name: 'Change the network' }).click()
    service.refuses.pay = { status: 409, json: { error: 'conflict', reason: 'payment_in_flight' } }
    await page.getByRole('radio', { name: 'Arbitrum Sepolia' }).check()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    await page.getByText('Base Sepolia').first().waitFor()
    expect([...service.payments.values()].flat().length).toBe(1)
  })
})

describe('the same payment', () => {
  test('a reload shows the choice before the press, and the payment after it', async () => {
    const { page, service } = await openLink()
    await screenOf(page, 'link').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    await page.reload()
    await screenOf(page, 'pay').waitFor()
    expect(service.paid.length).toBe(1)
    const [secret] = [...service.payments.values()].flat()
    expect(service.resolvedIntents.at(-1)).toMatchObject({ client_secret: secret?.secret })
    for (const [status, screen] of [
      ['pending_confirmations', 'confirming'],
      ['succeeded', 'paid'],
    ] as const) {
      if (secret)
        secret.intent = {
          ...secret.intent,
          status,
          tx_hash: txHash,
          version: secret.intent.version + 1,
        }
      await page.reload()
      await screenOf(page, screen).waitFor()
    }
    expect(service.paid.length).toBe(1)
  })

  test('the choice of another network keeps the amount, and cancels the unpaid first payment', async () => {
    const { page, service, complaints } = await openLink({ link: openAmount })
    await page.locator(field).fill('20')
    await page.getByRole('button', { name: 'Pay 20.00' }).click()
    await page.getByRole('button', { name: 'Change amount or network' }).click()
    expect(await page.locator(field).inputValue()).toBe('20')
    await page.getByRole('radio', { name: 'Arbitrum Sepolia' }).check()
    await page.getByRole('button', { name: 'Pay 20.00' }).click()
    await screenOf(page, 'pay').waitFor()
    await page.getByText('Arbitrum Sepolia').first().waitFor()
    const [payments = []] = service.payments.values()
    expect(payments.map(({ chain, intent }) => [chain, intent.status])).toEqual([
      ['base', 'canceled'],
      ['arbitrum', 'requires_payment'],
    ])
    expect(service.payments.size).toBe(1)
    expectNone(complaints)
  })

  test('a paid link creates another payment, of a new visitor, only at a press', async () => {
    const { page, service } = await openLink()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const [first] = [...service.payments.values()].flat()
    if (first) first.intent = { ...first.intent, status: 'succeeded', tx_hash: txHash, version: 9 }
    await screenOf(page, 'paid').waitFor()
    await page.reload()
    await screenOf(page, 'paid').waitFor()
    expect(service.paid.length).toBe(1)
    await page.getByRole('button', { name: 'Pay again' }).click()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const [firstPaid, secondPaid] = service.paid
    expect(service.paid.length).toBe(2)
    expect(firstPaid?.visitor).not.toBe(secondPaid?.visitor)
  })

  test('a used-up link offers no other payment', async () => {
    const { page, service } = await openLink()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const [first] = [...service.payments.values()].flat()
    if (service.link) service.link = { ...service.link, status: 'used_up' }
    service.refuses.resolve = { status: 503 }
    if (first) first.intent = { ...first.intent, status: 'succeeded', tx_hash: txHash, version: 9 }
    await screenOf(page, 'paid').waitFor()
    const nextPayment = page.getByRole('button', { name: 'Pay again' })
    expect(await nextPayment.count(), 'before the link is read').toBe(0)
    const before = service.resolved.length
    await expect.poll(() => service.resolved.length).toBeGreaterThan(before)
    expect(await nextPayment.count(), 'while the link cannot be read').toBe(0)
    service.refuses.resolve = null
    const refused = service.resolved.length
    await expect.poll(() => service.resolved.length).toBeGreaterThan(refused)
    expect(await nextPayment.count()).toBe(0)
  })

  test.each([
    ['no wallet', null],
    ['a connected wallet', [payer]],
  ])('the visitor who used up the link sees only their payment: %s', async (_, accounts) => {
    const { page, service } = await openLink({ accounts })
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const [first] = [...service.payments.values()].flat()
    if (service.link) service.link = { ...service.link, status: 'used_up' }
    if (first) first.intent = { ...first.intent, status: 'succeeded', tx_hash: txHash, version: 9 }
    await screenOf(page, 'paid').waitFor()
    let release = () => {}
    service.pending = new Promise((resolve) => {
      release = resolve
    })
    const before = service.resolvedIntents.length
    await page.clock.install()
    await page.reload()
    await expect.poll(() => service.resolvedIntents.length).toBeGreaterThan(before)
    // The step redraws every second.
    await page.clock.runFor(3000)
    expect(await screenOf(page, 'loading').count()).toBe(1)
    release()
    await screenOf(page, 'paid').waitFor()
  })

  test('the text about a closed link disappears once the link is open again', async () => {
    const { page, service } = await openLink({ link: { networks: [network('base')] } })
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const [first] = [...service.payments.values()].flat()
    if (service.link) service.link = { ...service.link, status: 'used_up' }
    await page.reload()
    await screenOf(page, 'pay').waitFor()
    if (first) first.intent = { ...first.intent, status: 'expired', version: 9 }
    if (service.link) service.link = { ...service.link, status: 'open' }
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
  })

  test('the payer can start again once the payment expires', async () => {
    const { page, service } = await openLink({ link: { networks: [network('base')] } })
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const [first] = [...service.payments.values()].flat()
    if (first) first.intent = { ...first.intent, status: 'expired', version: 9 }
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    expect([...service.payments.values()].flat().length).toBe(2)
  })

  test('two tabs are two visitors', async () => {
    const { page, service, context } = await openLink()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    const secondPaid = await context.newPage()
    await secondPaid.goto(page.url())
    await secondPaid.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(secondPaid, 'pay').waitFor()
    expect(service.payments.size).toBe(2)
  })

  test('the payment ends with the page if storage is denied', async () => {
    const { page, service, context, complaints } = await openLink()
    await context.addInitScript(() => {
      Object.defineProperty(window, 'sessionStorage', {
        get() {
          throw new DOMException('denied')
        },
      })
    })
    await page.reload()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByRole('button', { name: 'Change the network' }).click()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    expect(service.payments.size).toBe(1)
    expectNone(complaints)
  })
})

describe('an amount to pay by hand', () => {
  const reservations = (service: { resolvedIntents: Record<string, unknown>[] }) =>
    service.resolvedIntents.filter(({ reserve_amount }) => reserve_amount === true).length

  test('is reserved only once, when the payer first opens the QR code', async () => {
    const { page, service, complaints } = await openLink({ accounts: [payer] })
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await screenOf(page, 'pay').waitFor()
    expect(reservations(service)).toBe(0)
    await page.getByRole('tab', { name: 'QR code' }).click()
    await page.getByText('24.000123', { exact: false }).first().waitFor()
    await page.locator('.qr svg').waitFor()
    await page.getByRole('tab', { name: 'Wallet' }).click()
    await page.getByRole('tab', { name: 'QR code' }).click()
    expect(reservations(service)).toBe(1)
    expectNone(complaints)
  })

  test('is not reserved for a computer without a wallet until the payer presses', async () => {
    const { page, service } = await openLink()
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByRole('button', { name: 'Show amount and address' }).waitFor()
    expect(reservations(service)).toBe(0)
    await page.getByRole('button', { name: 'Show amount and address' }).click()
    await page.locator('.qr svg').waitFor()
    expect(reservations(service)).toBe(1)
  })

  test('is replaced by a text if it cannot be reserved: only a wallet can pay', async () => {
    const { page, service } = await openLink({ accounts: [payer] })
    service.reservation = null
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByRole('tab', { name: 'QR code' }).click()
    await page.getByText('Only a wallet can pay this now.').first().waitFor()
    expect(await page.locator('.qr').count()).toBe(0)
    expect(reservations(service)).toBe(1)
  })

  test('is not reserved on a phone that opens a wallet app', async () => {
    const { page, service } = await openLink({ isPhone: true })
    await page.getByRole('button', { name: 'Pay 24.00' }).click()
    await page.getByText('Pay with your wallet app').waitFor()
    expect(reservations(service)).toBe(0)
    await page.getByRole('button', { name: 'Pay by QR code or exchange' }).click()
    await page.locator('.fields').waitFor()
    expect(reservations(service)).toBe(1)
  })
})

test('the paid screen leads back to the shop', async () => {
  const { page, service } = await openLink({ link: { return_url: 'https://shop.example/orders' } })
  await page.getByRole('button', { name: 'Pay 24.00' }).click()
  await screenOf(page, 'pay').waitFor()
  const [first] = [...service.payments.values()].flat()
  if (first) first.intent = { ...first.intent, status: 'succeeded', tx_hash: txHash, version: 9 }
  const link = page.getByRole('link', { name: 'Back to Kiosk' })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe(
    'https://shop.example/orders?payment_intent=pi_link_1&redirect_status=succeeded',
  )
})

describe.each([
  ['a computer', {}],
  ['a phone in the dark', { isPhone: true, dark: true }],
  ['a phone in Arabic', { isPhone: true, locale: 'ar' }],
])('on %s, axe finds nothing', (_, how) => {
  test('in the step, with an error, and after it', async () => {
    const { page, complaints } = await openLink({
      ...{ ...how, link: { ...openAmount, picture: '/picture.png' }, accounts: [payer] },
      before: (service) => {
        service.balances = { arbitrum: 40_000_000 }
      },
    })
    await screenOf(page, 'link').waitFor()
    const faults = async () =>
      (await axeFaults(page)).filter((fault) => !fault.startsWith('region'))
    expect(await faults()).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    const sheet = page.locator('.sheet')
    const { x, width } = (await sheet.boundingBox()) ?? { x: -1, width: 0 }
    expect(x >= 0 && x + width <= (page.viewportSize()?.width ?? 0)).toBe(true)
    await page.locator('.primary').click()
    await page.locator('#limits.fault').waitFor()
    expect(await faults()).toEqual([])
    await page.locator(field).fill('20')
    await page.locator('.primary').click()
    await screenOf(page, 'pay').waitFor()
    expect(await faults()).toEqual([])
    expectNone(complaints)
  })

  test.each(isFull ? ['inactive', 'expired', 'used_up'] : ['used_up'])(
    'for the status %s',
    async (status) => {
      const { page } = await openLink({ ...how, link: { status } })
      await screenOf(page, 'closed').waitFor()
      expect(await axeFaults(page)).toEqual([])
    },
  )
})

test('everything can be done with the keyboard', async () => {
  const { page, service } = await openLink()
  await screenOf(page, 'link').waitFor()
  const focused = () =>
    page.evaluate(() => {
      const active = document.querySelector('#checkout > div')?.shadowRoot?.activeElement
      return `${active?.tagName} ${(active as HTMLInputElement | null)?.type ?? ''}`
    })
  expect(await focused()).toBe('H2 ')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('INPUT radio')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('BUTTON button')
  await page.keyboard.press('Enter')
  await screenOf(page, 'pay').waitFor()
  expect(service.paid).toMatchObject([{ chain: 'arbitrum' }])
  expect(await focused()).toBe('H2 ')
})
