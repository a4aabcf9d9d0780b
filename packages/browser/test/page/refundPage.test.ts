import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolvedRefund } from '@payment-intents/contract'
import type { Page, Route } from 'playwright-core'
import { describe, expect, inject, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { messages } from '../../src/refund/messages.ts'
import { axeFaults } from '../support/axe.ts'
import { languages } from '../support/readMessages.ts'
import { openHostedPage, serviceOrigin, useBrowser } from '../support/service/openHostedPage.ts'

const token = 're_01_link_SecretSecretSecret'
const payer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const signature = `0x${'12'.repeat(65)}`
const txHash = `0x${'ab'.repeat(32)}` as const

function refundOf(changes: Partial<ResolvedRefund> = {}): ResolvedRefund {
  return {
    ...{ id: 're_01', status: 'requires_destination', mode: 'testnet', chain: 'base' },
    ...{ chain_id: 84532, confirmations_required: 5, amount_units: 12_340_000, decimals: 6 },
    ...{ token_symbol: 'USDC', token_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
    ...{ destination: null, destination_proof: null, tx_hash: null, confirmations: 0 },
    ...{ merchant_name: 'The <i>Kiosk</i>', support: 'help@kiosk.example' },
    network: { name: 'Base Sepolia', explorer_url: 'https://sepolia.basescan.org/' },
    ...{ can_name_destination: true, message_to_sign: null },
    ...changes,
  }
}

useBrowser()

/** How a wallet responds to `personal_sign`: a value, an error's code, or not yet. */
type Signing = { value: unknown } | { code: number } | 'never'
type Opening = {
  refund?: Partial<ResolvedRefund> | 'unknown'
  wallet?: { signing: Signing; connecting?: number } | null
  locale?: string
  dark?: boolean
  isPhone?: boolean
  hash?: string
  isFresh?: boolean
}

/** Opens the page under the server's policy, with a service and a wallet of this test. */
async function open(opening: Opening = {}) {
  const { refund = {}, wallet = { signing: { value: signature } }, locale = 'en' } = opening
  const service = {
    refund: refund === 'unknown' ? null : refundOf(refund),
    /** The error that the next named destination gets. */
    refusal: null as { status: number; error: string } | null,
    isAway: false,
    named: [] as Record<string, unknown>[],
    urls: [] as string[],
    referrers: [] as (string | undefined)[],
  }
  const serve = async (route: Route) => {
    const request = route.request()
    const { pathname } = new URL(request.url())
    service.urls.push(request.url())
    service.referrers.push((await request.allHeaders()).referer)
    if (pathname === '/v1/refund.js') {
      const path = join(inject('bundles'), 'refundPage.js')
      return route.fulfill({ contentType: 'text/javascript', body: await readFile(path) })
    }
    if (request.method() === 'GET') {
      return route.fulfill({
        contentType: 'text/html; charset=utf-8',
        headers: {
          'content-security-policy':
            "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; require-trusted-types-for 'script'",
          'referrer-policy': 'no-referrer',
        },
        body: '<!doctype html><html lang="en"><head><title>Refund</title><link rel="icon" href="data:,"></head><body><script src="/v1/refund.js"></script></body></html>',
      })
    }
    if (service.isAway) return route.abort()
    const { token: sent, account, ...rest } = JSON.parse(request.postData() ?? '')
    if (sent !== token || !service.refund) {
      return route.fulfill({ status: 404, json: { error: 'not_found' } })
    }
    if (pathname === '/v1/refunds/destination') {
      service.named.push(rest)
      const { refusal } = service
      if (refusal) return route.fulfill({ status: refusal.status, json: { error: refusal.error } })
      const isProven = rest.signature !== undefined
      service.refund = {
        ...service.refund,
        ...{ destination: rest.destination, can_name_destination: !isProven },
        status: isProven ? 'requires_signature' : 'requires_confirmation',
      }
    }
    const message = account ? `Sign for ${account}` : null
    return route.fulfill({ json: { ...service.refund, message_to_sign: message } })
  }
  const { page, complaints } = await openHostedPage({
    ...{ path: `/refund/#${opening.hash ?? token}`, serve, locale, dark: opening.dark ?? false },
    viewport: opening.isPhone ? { width: 375, height: 740 } : { width: 800, height: 900 },
    // Chromium reports each response that is no success.
    ignored: /status of|ERR_FAILED/,
    prepare: (context) => context.addInitScript(installWallet, { account: payer, wallet }),
    isFresh: opening.isFresh ?? false,
  })
  return { page, service, complaints }
}

/** Runs in the page. */
function installWallet({ account, wallet }: { account: string; wallet: Opening['wallet'] }): void {
  if (!wallet) return
  const { signing, connecting } = wallet
  const requests: unknown[] = []
  const fail = (code: number) => Promise.reject(Object.assign(new Error('no'), { code }))
  const provider = {
    request({ method, params }: { method: string; params?: unknown }) {
      requests.push({ method, params })
      if (method === 'eth_requestAccounts') {
        return connecting ? fail(connecting) : Promise.resolve([account])
      }
      if (signing === 'never') return new Promise((sign) => Object.assign(window, { sign }))
      return 'code' in signing ? fail(signing.code) : Promise.resolve(signing.value)
    },
  }
  Object.assign(window, { requests })
  const info = { uuid: '1', name: 'Foxy', rdns: 'io.foxy', icon: 'data:image/svg+xml,<svg/>' }
  const announce = () =>
    window.dispatchEvent(
      new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }),
    )
  window.addEventListener('eip6963:requestProvider', announce)
}

const messageOf = (key: keyof typeof messages.en, values: Record<string, string> = {}) =>
  (messages.en as Record<string, string>)[key]?.replace(
    /\{(\w+)\}/g,
    (_, name) => values[name] ?? '',
  ) ?? ''
const shop = { merchant: 'The <i>Kiosk</i>' }
/** The page's text, without the marks that isolate names. */
const textOf = async (page: Page) =>
  ((await page.locator('main').textContent()) ?? '').replace(/[\u2068\u2069]/g, '')
const signButton = (page: Page) => page.getByRole('button', { name: 'Foxy' })

async function untilText(page: Page, text: string): Promise<void> {
  await expect.poll(() => textOf(page)).toContain(text)
}

describe('the destination', () => {
  test('is named by one signature of the paying wallet, and the page follows the refund to its end', async () => {
    const { page, service, complaints } = await open({ isPhone: true })
    await untilText(page, messageOf('headline', shop))
    expect(await textOf(page)).toContain('12.34\u00a0USDC')
    await signButton(page).click()
    await untilText(page, messageOf('fixed', shop))
    const message = `Sign for ${payer}`
    expect(service.named).toEqual([{ destination: payer, message, signature }])
    const requests = await page.evaluate(
      () => (window as unknown as { requests: unknown }).requests,
    )
    expect(requests).toEqual([
      { method: 'eth_requestAccounts' },
      {
        method: 'personal_sign',
        params: [`0x${Buffer.from(message).toString('hex')}`, payer],
      },
    ])
    expect(await textOf(page)).toContain(payer)
    Object.assign(service.refund ?? {}, { status: 'pending', tx_hash: txHash, confirmations: 2 })
    await untilText(page, messageOf('confirmations', { done: '2', total: '5' }))
    Object.assign(service.refund ?? {}, { status: 'succeeded', confirmations: 5 })
    await untilText(page, messageOf('succeeded'))
    const link = page.getByRole('link', { name: '0xabab' })
    expect(await link.getAttribute('href')).toBe(`https://sepolia.basescan.org/tx/${txHash}`)
    expect(complaints).toEqual([])
  })

  test('is named by an address, which may be replaced until the shop confirms it', async () => {
    const { page, service, complaints } = await open()
    await page.getByText(messageOf('other')).click()
    const field = page.getByLabel(messageOf('address', { network: '' }).trim())
    const submit = page.getByRole('button', { name: messageOf('use') })
    await field.fill('0x123')
    await submit.click()
    await untilText(page, messageOf('malformed'))
    expect(service.named).toEqual([])
    service.refusal = { status: 400, error: 'wallet_invalid' }
    await field.fill(`${other.slice(0, -1)}D`)
    await submit.click()
    await untilText(page, messageOf('unusable'))
    expect(await field.inputValue()).toBe(`${other.slice(0, -1)}D`)
    service.refusal = null
    await field.fill(` ${other} `)
    await submit.click()
    await untilText(page, messageOf('claimed', shop))
    expect(await textOf(page)).toContain(other)
    await page.getByRole('button', { name: messageOf('other') }).click()
    await signButton(page).click()
    await untilText(page, messageOf('fixed', shop))
    expect(service.named.at(-1)).toMatchObject({ destination: payer, signature })
    expect(complaints).toEqual([])
  })

  test.each<[string, { signing: Signing; connecting?: number }, keyof typeof messages.en]>([
    ['declines the signature', { signing: { code: 4001 } }, 'declined'],
    ['declines the connection', { signing: 'never', connecting: 4001 }, 'declined'],
    ['fails to connect', { signing: 'never', connecting: -32603 }, 'failed'],
    ['shows another request', { signing: { code: -32002 } }, 'open'],
    ['shows a connection already', { signing: 'never', connecting: -32002 }, 'open'],
    ['cannot sign', { signing: { code: -32603 } }, 'unsigned'],
    ['has no such method', { signing: { code: 4200 } }, 'unsigned'],
    ['signs nothing', { signing: { value: '0x' } }, 'unsigned'],
    ['responds with null', { signing: { value: null } }, 'unsigned'],
  ])('is not signed by a wallet that %s, and the page says what to do', async (_, wallet, key) => {
    const { page, service, complaints } = await open({ wallet })
    await signButton(page).click()
    await untilText(page, messageOf(key, { wallet: 'Foxy', ...shop }))
    expect(service.named).toEqual([])
    if (key === 'unsigned') {
      await page.getByRole('button', { name: messageOf('use') }).click()
      await untilText(page, messageOf('claimed', shop))
      expect(service.named).toEqual([{ destination: payer }])
    } else if (key === 'open') {
      await page.getByRole('button', { name: messageOf('back') }).click()
      await untilText(page, messageOf('where'))
    }
    expect(complaints).toEqual([])
  })

  test('is named by a signature that comes after the payer went back', async () => {
    const { page, service } = await open({ wallet: { signing: 'never' } })
    await signButton(page).click()
    await untilText(page, messageOf('opening', { wallet: 'Foxy' }))
    await expect.poll(() => page.evaluate(() => 'sign' in window)).toBe(true)
    await page.getByRole('button', { name: messageOf('back') }).click()
    await untilText(page, messageOf('where'))
    await page.evaluate(
      (value) => (window as unknown as { sign(value: string): void }).sign(value),
      signature,
    )
    await untilText(page, messageOf('fixed', shop))
    expect(service.named).toMatchObject([{ destination: payer, signature }])
  })

  test('is shown if it was fixed meanwhile, and the signature has no effect', async () => {
    const { page, service } = await open()
    await untilText(page, messageOf('where'))
    service.refusal = { status: 409, error: 'conflict' }
    Object.assign(service.refund ?? {}, {
      ...{ status: 'requires_signature', destination: other, can_name_destination: false },
    })
    await signButton(page).click()
    await untilText(page, messageOf('fixed', shop))
    expect(await textOf(page)).toContain(other)
  })
})

describe('the link', () => {
  test('is in no URL, referrer or history, and survives a reload of the tab', async () => {
    const { page, service } = await open({ isFresh: true })
    await untilText(page, messageOf('headline', shop))
    expect(page.url()).toBe(`${serviceOrigin}/refund/`)
    await page.reload()
    await untilText(page, messageOf('headline', shop))
    expect(page.url()).toBe(`${serviceOrigin}/refund/`)
    expect(service.urls.some((url) => url.includes('Secret') && !url.includes('#'))).toBe(false)
    expect(service.referrers.filter((referrer) => referrer?.includes('Secret'))).toEqual([])
    await page.goBack()
    expect(page.url()).not.toContain('Secret')
  })

  test('is reported as unknown if it opens nothing, and another link opens in its place', async () => {
    const { page } = await open({ hash: 're_02_link_Wrong' })
    await untilText(page, messageOf('unknown'))
    await page.evaluate((hash) => Object.assign(location, { hash }), token)
    await untilText(page, messageOf('headline', shop))
    expect(page.url()).toBe(`${serviceOrigin}/refund/`)
  })

  test('works again by itself after the connection was lost', async () => {
    const { page, service } = await open()
    await untilText(page, messageOf('headline', shop))
    service.isAway = true
    await untilText(page, messageOf('offline'))
    service.isAway = false
    await expect.poll(() => textOf(page)).not.toContain(messageOf('offline'))
  })
})

const screens: Record<string, Partial<ResolvedRefund> | 'unknown'> = {
  choose: {},
  claimed: { status: 'requires_confirmation', destination: other },
  fixed: { status: 'requires_signature', destination: payer, can_name_destination: false },
  pending: {
    ...{ status: 'pending', destination: payer, can_name_destination: false },
    ...{ tx_hash: txHash, confirmations: 3 },
  },
  succeeded: {
    ...{ status: 'succeeded', destination: payer, can_name_destination: false },
    ...{ tx_hash: txHash, confirmations: 5 },
  },
  canceled: { status: 'canceled', can_name_destination: false },
  unknown: 'unknown',
}

describe('every screen', () => {
  /** A screen of each layout; the others differ only in their text. */
  const layouts = ['choose', 'claimed', 'pending', 'unknown']
  const visited = Object.entries(screens).filter(([name]) => isFull || layouts.includes(name))
  test.each(visited)('passes axe, light and dark: %s', async (_, refund) => {
    for (const dark of [false, true]) {
      const { page } = await open({ refund, dark, isPhone: dark })
      await expect.poll(() => textOf(page)).toMatch(/\S/)
      await page.locator('details').evaluateAll((all) => {
        for (const details of all) (details as HTMLDetailsElement).open = true
      })
      expect(await axeFaults(page)).toEqual([])
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      expect(overflow).toBeLessThanOrEqual(0)
    }
  })

  test('offers a wallet app and an address in a browser without wallets', async () => {
    const { page } = await open({ wallet: null, isPhone: true })
    await untilText(page, messageOf('no_wallet'))
    expect(await page.getByLabel(messageOf('address', { network: '' }).trim()).isVisible()).toBe(
      true,
    )
    expect(await axeFaults(page)).toEqual([])
  })

  const tried = isFull ? languages : ['ar', 'de']
  test.each(tried)('is translated: %s', async (language) => {
    const { page } = await open({ locale: language, isPhone: true })
    await untilText(page, messages[language]?.where ?? 'no such language')
    expect(await page.getAttribute('html', 'dir')).toBe(language === 'ar' ? 'rtl' : 'ltr')
    expect(await axeFaults(page)).toEqual([])
  })
})

test('every language has every text, with the same placeholders', () => {
  const names = (text: string) => text.match(/\{\w+\}/g)?.sort() ?? []
  expect(Object.keys(messages).sort()).toEqual(['en', ...languages].sort())
  for (const texts of Object.values(messages)) {
    for (const [key, text] of Object.entries(messages.en ?? {})) {
      const translated = (texts as Record<string, string>)[key] ?? ''
      expect([key, translated]).toEqual([key, expect.stringMatching(/\S/)])
      expect([key, names(translated)]).toEqual([key, names(text)])
    }
  }
})
