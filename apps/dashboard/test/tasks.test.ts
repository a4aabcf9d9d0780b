import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../tests/support/until.ts'
import { storeTransfer } from '../../server/test/support/database/storeTransfer.ts'
import { type Receiver, startReceiver } from '../../server/test/support/server/webhookReceiver.ts'
import { type Desk, openDesk } from './support/openDesk.ts'

let desk: Desk
let page: Desk['page']
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  desk = await openDesk({ webhooks: 'delivering' })
  ;({ page } = desk)
  await page.goto(await desk.signInLink())
  await desk.heading('Overview')
  return async () => {
    await desk.close()
    await receiver.close()
  }
})

describe('a search leads to a payment in two steps: paste, and press Enter', () => {
  const order_id = 'A-1042'
  let id: string
  let values: Readonly<Record<string, string>>

  beforeAll(async () => {
    const { api, server, merchant } = desk
    const metadata = { order_id, cart: 'c77' }
    const body = { amount_units: 31_500_000, metadata }
    const intent = await (await api.post('/v1/payment_intents', body)).json()
    await desk.create('/v1/payment_intents', { amount_units: 32_000_000 })
    const terms = { merchantId: merchant.id, intentId: intent.id, amount: 31_500_000 }
    const transfer = await storeTransfer(server.db, terms)
    const { data } = await api.read('/v1/transfers')
    const { tx_hash, from } = data.find((each: { id: string }) => each.id === transfer)
    id = intent.id
    values = {
      ...{ transaction: tx_hash, explorer: `https://sepolia.basescan.org/tx/${tx_hash}` },
      ...{ address: from, amount: '31.50', order: order_id, metadata: 'cart=c77' },
      ...{ intent: intent.id, secret: intent.client_secret, reference: intent.payment_reference },
    }
  })

  test.each(
    [
      'transaction',
      'explorer',
      'address',
      'amount',
      'order',
      'metadata',
      'intent',
      'secret',
    ].concat('reference'),
  )('by its %s', async (name) => {
    await page.getByRole('link', { name: 'Payments', exact: true }).click()
    await page.getByRole('searchbox').fill(values[name] ?? expect.fail(name))
    await page.keyboard.press('Enter')
    await desk.heading(order_id)
    expect(page.url()).toBe(`${desk.url}/payments/${id}`)
  })

  test('an unmatched transfer is assigned in the search results', async () => {
    const { server, merchant } = desk
    const lost = await desk.create('/v1/payment_intents', {
      ...{ amount_units: 7_000_000, metadata: { order_id: 'lost' } },
    })
    await storeTransfer(server.db, { merchantId: merchant.id, amount: 6_990_000 })
    await page.goto(`${desk.url}/payments?q=6.99`)
    await page.getByRole('textbox', { name: 'Id of the payment' }).fill(lost)
    await page.getByRole('button', { name: 'Assign' }).last().click()
    await desk.heading('lost')
    expect(page.url()).toBe(`${desk.url}/payments/${lost}`)
  })

  test('lists the searched values when nothing is found', async () => {
    await page.goto(`${desk.url}/payments?q=0x${'ab'.repeat(32)}`)
    await page.getByText('searched as transaction, payment reference, refund reference').waitFor()
  })
})

test('a failing endpoint needs attention, is fixed, and receives the missed events', async () => {
  const { server, url } = desk
  receiver.replyWith({ status: 500, headers: {}, body: 'out of order' })
  const endpoint = await desk.create('/v1/webhook_endpoints', { url: receiver.url })
  const id = await desk.create('/v1/payment_intents', {
    ...{ amount_units: 1_000_000, metadata: { order_id: 'W-1' } },
  })
  const failed = async () => {
    const path = `/v1/webhook_endpoints/${endpoint}/attempts`
    return (await desk.api.read(path)).data.length > 0
  }
  await until(async () => expect(await failed()).toBe(true))
  await server.db.pool.query(
    `update webhook_endpoints set failing_since = now() - interval '2 hours'`,
  )

  // The next scheduled attempt is far away.
  await server.db.pool.query(`update webhook_deliveries set due_at = now() + interval '1 hour'`)
  await page.goto(`${url}/needs-you`)
  const item = page.getByRole('listitem').filter({ hasText: 'A webhook endpoint fails' })
  await item.getByRole('link').click()
  await page.getByText('out of order').first().waitFor()

  receiver.replyWith(200)
  await page.goto(`${url}/payments/${id}`)
  const delivery = page.locator('.timeline li').filter({ hasText: 'Webhook' })
  await delivery.getByText('500').first().waitFor()
  await delivery.getByText('next attempt').waitFor()
  await delivery.getByRole('button', { name: 'Send again' }).click()
  await delivery.getByText('200').waitFor()
  await delivery.getByText('Succeeded').waitFor()
  // The delivery still shows each attempt with its response.
  await delivery.getByRole('button', { name: 'Send again' }).waitFor()
  await delivery.getByText('out of order').first().waitFor()
  expect(receiver.received.some(({ body }) => body.includes(id))).toBe(true)
  await page.goto(`${url}/needs-you`)
  await desk.heading('Needs you')
  await until(async () => expect(await item.count()).toBe(0))
})

test('texts by strangers have no effect as markup, formula, change of direction or long word, on every page and in the files', async () => {
  const { server, url, merchant, create } = desk
  const evil = `=HYPERLINK("https://evil.example")<img src=x onerror="hit=1"><script>hit=1</script>\u202eשלום${'w'.repeat(150)}`
  receiver.replyWith({ status: 500, headers: {}, body: evil })
  const endpoint = await create('/v1/webhook_endpoints', { url: receiver.url, description: evil })
  const intent = await create('/v1/payment_intents', {
    ...{ amount_units: 44_000_000, metadata: { order_id: evil, [`=1+1${evil}`]: evil } },
  })
  await server.db.pool.query(
    `insert into attention (merchant_id, mode, type, object_id, since)
     values ($1, 'testnet', 'payment_intent_late', $2, now())`,
    [merchant.id, intent],
  )
  const link = await create('/v1/payment_links', { amount_units: null, description: evil })
  await server.db.pool.query('update sessions set user_agent = $1', [evil])
  await page.addInitScript((name) => {
    const detail = { info: { uuid: name, name, icon: '', rdns: name }, provider: { request() {} } }
    addEventListener('eip6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })),
    )
  }, evil)
  const size = { width: 390, height: 844 }
  await page.setViewportSize(size)

  const shown = () => page.getByText('onerror').first().waitFor()
  const pages: Record<string, () => Promise<unknown>> = {
    '/payments': shown,
    [`/payments/${intent}`]: async () => {
      await shown()
      await page.locator('ol.attempts').getByText('onerror').first().waitFor()
    },
    '/needs-you': shown,
    '/links': shown,
    [`/links/${link}`]: shown,
    '/developers/webhooks': shown,
    [`/developers/webhooks/${endpoint}`]: () =>
      page.locator('td').getByText('onerror').first().waitFor(),
    async '/developers/events'() {
      await page.getByRole('button', { name: 'payment_intent.created' }).first().click()
      await shown()
    },
    '/settings/security': shown,
    '/settings/log': () => page.getByText('Ada').nth(1).waitFor(),
    async '/settings/wallets'() {
      await page.getByRole('button', { name: 'Prove that it is yours' }).click()
      await page.getByRole('button', { name: 'Sign with =HYPERLINK' }).waitFor()
    },
    [`/payments?q=${encodeURIComponent(`0x${evil}`)}`]: shown,
  }
  const problems: string[] = []
  for (const [path, ready] of Object.entries(pages)) {
    await page.goto(url + path)
    await ready().catch((error) => expect.fail(`${path}: ${error.message}`))
    problems.push(...(await page.evaluate(findHarm)).map((harm) => `${path}: ${harm}`))
  }
  expect(problems).toEqual([])
  for (const what of ['payment_intents', 'transfers', 'refunds']) {
    const file = await (await desk.api.get('/v1/export', { what })).text()
    for (const cell of file.split(/,|\r\n/)) expect(cell).not.toMatch(/^"?[=+@]|^"?-\D/)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
})

/** Runs in the page: returns the changes that a stranger's text made to it. */
function findHarm(): string[] {
  const harm: string[] = []
  if ('hit' in window) harm.push('its script ran')
  if (document.querySelector('img, main script')) harm.push('its markup is in the page')
  const { scrollWidth } = document.documentElement
  if (scrollWidth > innerWidth) harm.push(`the page is ${scrollWidth} px wide`)
  if (/[\u202a-\u202e\u2066-\u2069]/.test(document.body.textContent + document.title))
    harm.push('it turns the text around')
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const parent = text.parentElement
    if (!parent || !text.textContent?.includes('שלום')) continue
    const { unicodeBidi, display } = getComputedStyle(parent)
    const isIsolated = /isolate|plaintext/.test(unicodeBidi) || !display.startsWith('inline')
    if (!isIsolated && parent.tagName !== 'SCRIPT') harm.push(`not isolated: ${parent.outerHTML}`)
  }
  return harm
}

test('no page has logged an error', () => {
  expect(desk.faults).toEqual([])
})
