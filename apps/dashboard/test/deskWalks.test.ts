import { beforeAll, expect, test } from 'vitest'
import { axeFaults } from '../../../packages/browser/test/support/axe.ts'
import { drawLogo } from '../../../tests/support/pictures/drawLogo.ts'
import { asPng } from '../../../tests/support/pictures/testPictures.ts'
import { until } from '../../../tests/support/until.ts'
import { addAuthenticator } from './support/addAuthenticator.ts'
import { type Desk, openDesk } from './support/openDesk.ts'
import { allPaths, keyboardFaults, tour } from './support/tour.ts'

let desk: Desk
let page: Desk['page']
let server: Desk['server']
let url: string
let heading: Desk['heading']

beforeAll(async () => {
  desk = await openDesk()
  ;({ page, server, url, heading } = desk)
  return () => desk.close()
})

function createIntent(order_id: string, amount_units = 24_000_000): Promise<string> {
  return desk.create('/v1/payment_intents', { amount_units, metadata: { order_id } })
}

test('a link signs in once, and is not in the history', async () => {
  const link = await desk.signInLink()
  await page.goto(link)
  await heading('Overview')
  expect(page.url()).toBe(`${url}/`)
  const other = await page.context().browser()?.newPage()
  await other?.goto(link)
  await other?.getByText('This link does not sign you in').waitFor()
  await other?.close()
})

test('a payment appears without a reload, and its page has a timeline', async () => {
  await page.goto(`${url}/payments`)
  await page.getByText('No payment here yet').waitFor()
  await createIntent('1042')
  await page.getByRole('link', { name: '1042' }).click()
  await heading('1042')
  await page.getByText('payment_intent.created').waitFor()
  await page.getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel payment' }).click()
  await page.getByText('payment_intent.canceled').waitFor()
})

test('an API key is shown once, works, and is refused once it is revoked', async () => {
  await page.goto(`${url}/developers/keys`)
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByLabel('Label').fill('reports')
  await page.getByRole('button', { name: 'New API key' }).last().click()
  const key = (await page.locator('.note code').textContent()) ?? ''
  const status = async () =>
    (await server.request('/v1/events', { headers: { authorization: `Bearer ${key}` } })).status
  expect(await status()).toBe(200)
  await page.reload()
  await page.getByText('reports').waitFor()
  expect(await page.locator('body').textContent()).not.toContain(key)
  const row = page.getByRole('listitem').filter({ hasText: 'reports' })
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await until(async () => expect(await status()).toBe(401))
})

test('a session needs a passkey to change the account after ten minutes', async () => {
  await server.db.pool.query(`update sessions set verified_at = now() - interval '11 minutes'`)
  await page.goto(`${url}/settings/people`)
  await page.getByLabel('Name').fill('Eve')
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByRole('dialog', { name: 'Confirm that it is you' }).waitFor()
  await page.getByText('You have no passkey').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click()
  await page.getByRole('alert').waitFor()
  await server.db.pool.query('update sessions set verified_at = now()')
})

test('the next request shows that the session has ended', async () => {
  // Only that request can show it: the request for events stays open.
  await page.route('**/v1/events*', () => {})
  await page.goto(`${url}/payments`)
  await heading('Payments')
  const { rows } = await server.db.pool.query('update sessions set revoked_at = now() returning id')
  await page.getByRole('link', { name: 'Refunds' }).click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await server.db.pool.query('update sessions set revoked_at = null where id = any($1)', [
    rows.map(({ id }) => id),
  ])
  await page.unroute('**/v1/events*')
})

test('a passkey is registered, and signs in again', async () => {
  await addAuthenticator(page)
  await page.goto(`${url}/settings/security`)
  await page.getByLabel('Name of the passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('listitem').filter({ hasText: 'Laptop' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('Ada').first().waitFor()
})

test('a wallet is set only on networks that the server follows', async () => {
  await page.goto(`${url}/settings/wallets`)
  const offered = () => page.getByLabel('Network').locator('option').allTextContents()
  await until(async () => expect(await offered()).toEqual(['Base', 'Polygon']))
  await page.getByLabel('Mode').selectOption('mainnet')
  await page.locator('.test-notice').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Wallets' }).click()
  await until(async () => expect(await offered()).toEqual(['Base']))
  await page.getByLabel('Mode').selectOption('testnet')
  await page.locator('.test-notice').waitFor()
  await heading('Overview')
})

test('the preview shows a name, a color, a logo and a contact while they are edited, and saves nothing', async () => {
  const brand = { logo: asPng(drawLogo()) }
  expect((await desk.api.send('PATCH', '/v1/settings', { brand })).status).toBe(200)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${url}/settings`)
  const preview = page.frameLocator('iframe')
  const name = page.getByLabel('Name of the shop')
  const merchantName = (name: string) =>
    preview.locator('.merchant').getByText(name, { exact: true }).waitFor()
  const rootStyle = (property: string) =>
    preview.locator(':root').evaluate((root, name) => root.style.getPropertyValue(name), property)
  const focused = () => page.evaluate(() => (document.activeElement as HTMLInputElement).name)

  await until(async () => expect(await rootStyle('--logo')).toContain('/v1/logos/'))
  await name.fill('Kiosk & Sons')
  await merchantName('Kiosk & Sons')
  expect(await focused()).toBe('name')
  await page.getByRole('checkbox', { name: 'A color of your own' }).check()
  await page.locator('input[type=color]').fill('#00aa55')
  const button = preview.locator('.primary')
  await until(async () =>
    expect(await button.evaluate((each) => getComputedStyle(each).backgroundColor)).toBe(
      'rgb(0, 170, 85)',
    ),
  )
  await page.getByLabel('Logo').setInputFiles({
    ...{ name: 'logo.png', mimeType: 'image/png', buffer: drawLogo() },
  })
  await until(async () => expect(await rootStyle('--logo')).toContain('data:image/png'))

  // It accepts messages only from the window that frames it.
  const accent = await preview.locator(':root').evaluate(async (root) => {
    const heard = new Promise((resolve) => addEventListener('message', resolve, { once: true }))
    postMessage({ name: 'Eve', support: null, accent: '#ff0000', logo: null })
    await heard
    await new Promise((resolve) => setTimeout(resolve))
    return root.style.getPropertyValue('--payment-intents-accent')
  })
  expect(accent).toBe('#00aa55')

  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await preview.locator(`dialog.${colorScheme}`).waitFor()
    const frame = page.frames().at(-1)
    if (!frame) throw new Error('The page has no frame.')
    expect([...(await axeFaults(frame)), ...(await axeFaults(page))]).toEqual([])
  }

  await page.getByLabel('Support').fill('help@kiosk.example')
  await page.getByLabel('Preview').selectOption('After the payment')
  await preview.getByText('help@kiosk.example').waitFor()
  await merchantName('Kiosk & Sons')
  expect(requests.filter((each) => !/^data:/.test(each) && !each.startsWith(`${url}/`))).toEqual([])
  await page.reload()
  await until(async () => expect(await name.inputValue()).not.toBe(''))
  expect(await name.inputValue()).not.toBe('Kiosk & Sons')
})

test('every page passes axe, and fits the width of the window', async () => {
  const size = { width: 1280, height: 800 }
  const problems: string[] = []
  const look = { size, colorScheme: 'light', onPage: tryKeyboard } as const
  const faults = await tour(desk, await allPaths(desk), look)
  expect([...faults, ...problems]).toEqual([])

  /** A form of each kind; the full tier has all pages. */
  async function tryKeyboard(path: string): Promise<void> {
    if (!['/payments', '/settings', '/settings/wallets'].includes(path)) return
    problems.push(...(await keyboardFaults(page)).map((fault) => `${path} ${fault}`))
  }
})

test('no page has logged an error', () => {
  expect(desk.faults).toEqual([])
})
