import { createHash } from 'node:crypto'
import { logoOf } from '@payment-intents/core'
import { expect, test } from 'vitest'
import { drawLogo } from '../../../../../tests/support/pictures/drawLogo.ts'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import { openShop } from '../../../test/support/server/merchantApi.ts'
import { updateSettings } from '../../store/merchants/settings.ts'

const server = serverOfFile()
const path = '/l/plink_01abcdefghijklmnopqrstuvwxyz12'
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('a browser gets the page with a policy of its own, and a robot’s visit creates nothing', async () => {
  const response = await server.request(path, { headers: html })
  expect(response.status).toBe(200)
  expect(response.headers.get('vary')).toBe('accept, accept-language, accept-encoding')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('set-cookie')).toBeNull()
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("frame-ancestors 'none'")
  const page = await response.text()
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? []
  const hash = createHash('sha256').update(styles).digest('base64')
  expect(policy).toContain(`style-src 'sha256-${hash}';`)
  expect(page).toContain('<meta name="robots" content="noindex">')
  expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/v1/link_page.js">'])
  expect(page).not.toContain('plink_')
  expect((await server.request('/v1/link_page.js')).status).toBe(200)
})

test.each([
  ['de-DE,en;q=0.5', '', '<html lang="de" dir="ltr">', 'Zahlung'],
  ['ar', '', '<html lang="ar" dir="rtl">', 'الدفع'],
  ['xx', '', '<html lang="en" dir="ltr">', 'Payment'],
  ['en', '?locale=fr&theme=dark', '<html lang="fr" dir="ltr" class="dark">', 'Paiement'],
])('in the payer’s language: %s %s', async (language, query, opening, title) => {
  const headers = { ...html, 'accept-language': language }
  const page = await (await server.request(path + query, { headers })).text()
  expect(page).toContain(opening)
  expect(page).toContain(`<title>${title}</title>`)
})

test.each([undefined, '*/*', 'application/json'])(
  'a program that accepts %s gets no page',
  async (accept) => {
    const response = await server.request(path, { headers: accept ? { accept } : {} })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'not_found' })
  },
)

test('the second file of the script tag can be read from any origin', async () => {
  const response = await server.request('/v1/link.js')
  expect(response.status).toBe(200)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
})

test('the page has the brand of its merchant', async () => {
  const { api, merchantId } = await openShop(server)
  const terms = { amount_units: 1, description: 'A' }
  const link = await (await api.post('/v1/payment_links', terms)).json()
  const logo = logoOf(drawLogo())
  if (logo === null || typeof logo === 'string') throw new Error('That is no logo.')
  await updateSettings(server.db, merchantId, { accent: '#0f766e', logo })
  const response = await server.request(`/l/${link.id}`, { headers: html })
  const page = await response.text()
  expect(page).toContain('<meta name="theme-color" content="#0f766e">')
  expect(page).toContain('--payment-intents-accent:#0f766e')
  expect(page).toContain(`--logo:url("/v1/logos/${logo.hash}")`)
  const [, styles = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? []
  const hash = createHash('sha256').update(styles).digest('base64')
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}';`)
})
