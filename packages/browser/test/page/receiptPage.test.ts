import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { paymentReference, refundReference } from '@payment-intents/core'
import type { Page, Route } from 'playwright-core'
import { describe, expect, inject, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { messages } from '../../src/receipt/messages.ts'
import type { Receipt, ReceiptRefund } from '../../src/receipt/parseReceipt.ts'
import { axeFaults } from '../support/axe.ts'
import { languages } from '../support/readMessages.ts'
import { openHostedPage, serviceOrigin, useBrowser } from '../support/service/openHostedPage.ts'
import { txHash } from '../support/testIntents.ts'

const rpcUrl = 'http://rpc.example/'
const networks = {
  84532: { name: 'Base Sepolia', rpcUrl, explorerUrl: 'https://sepolia.basescan.org' },
}
const wallet = '0x1111111111111111111111111111111111111111'
const payer = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const token = '0x036cbd53842c5426634e7929541ec2318f3dcf7e'
const topic = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
const word = (units: number) => units.toString(16).padStart(64, '0')
const salt = `0x${'5a'.repeat(32)}` as const
const expiresAt = 1_800_000_000
const price = 25_000_000

const receipt = {
  payment_intent: 'pi_test_0001',
  merchant_name: '<b>Kiosk</b>',
  chain: 'base',
  chain_id: 84532,
  token_address: token,
  expected_wallet: wallet,
  amount_units: price,
  expires_at: new Date(expiresAt * 1000).toISOString(),
  salt,
  payment_reference: paymentReference({
    ...{ id: 'pi_test_0001', chainId: 84532, token, to: wallet, salt },
    ...{ amount: BigInt(price), expiresAt },
  }),
  transfers: [
    {
      tx_hash: txHash as `0x${string}`,
      log_index: 3,
      block_timestamp: '2026-11-22T12:00:00.000Z',
      amount_units: price,
      bound_by: 'reference',
    },
  ],
  metadata: {
    ...{ order_id: '1042', description: 'A gift', nested: { hidden: true } },
    line_items: [
      { name: 'Mug <b>blue</b>', quantity: 2, amount: '10.00' },
      { name: 'Shipping', amount: 5 },
      ...[null, 'Mug', { quantity: 1 }, { name: '' }],
      { name: 'Odd', quantity: -1, amount: '1e9' },
    ],
  },
} satisfies Receipt

/** A chain on which the receipt's transfer was made, with the reference. */
const rpcResults: Record<string, unknown> = {
  eth_chainId: '0x14a34',
  eth_blockNumber: '0x14',
  eth_getTransactionByHash: {
    ...{ from: payer, to: token },
    input: `0xa9059cbb${topic(wallet).slice(2)}${word(price)}${receipt.payment_reference.slice(2)}`,
  },
  eth_getTransactionReceipt: {
    ...{ status: '0x1', blockNumber: '0x10', blockHash: '0xb1' },
    logs: [
      {
        address: token,
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          ...[topic(payer), topic(wallet)],
        ],
        data: `0x${word(price)}`,
        logIndex: '0x3',
      },
    ],
  },
  eth_getBlockByNumber: {
    hash: '0xb1',
    timestamp: `0x${(Date.parse('2026-11-22T12:00:00.000Z') / 1000).toString(16)}`,
  },
}

const refundTerms = {
  id: 're_test_0001',
  amount_units: 4_000_000,
  salt: `0x${'5b'.repeat(32)}`,
} as const
const refund = {
  ...{ ...refundTerms, status: 'succeeded', from: wallet, destination: payer },
  tx_hash: `0x${'fe'.repeat(32)}`,
  refund_reference: refundReference({
    ...{ id: refundTerms.id, source: receipt.payment_intent, chainId: 84532, token },
    ...{ amount: BigInt(refundTerms.amount_units), salt: refundTerms.salt },
  }),
} satisfies ReceiptRefund
const refunded = { ...receipt, refunds: [refund] }

/** The same chain, on which the refund was made, too. */
function withRefund({ isSigned }: { isSigned: boolean }) {
  const used = {
    address: token,
    topics: [
      '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
      ...[topic(wallet), refund.refund_reference],
    ],
    ...{ data: '0x', logIndex: '0x0' },
  }
  const moved = {
    address: token,
    topics: [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
      ...[topic(wallet), topic(payer)],
    ],
    ...{ data: `0x${word(refund.amount_units)}`, logIndex: '0x1' },
  }
  const mined = { status: '0x1', blockNumber: '0x10', blockHash: '0xb1' }
  return {
    eth_getTransactionReceipt: ([hash]: string[]) =>
      hash === refund.tx_hash
        ? { ...mined, logs: isSigned ? [used, moved] : [moved] }
        : rpcResults.eth_getTransactionReceipt,
  }
}

useBrowser()

type Opening = {
  fragment?: string
  locale?: string
  dark?: boolean
  rpc?: 'away'
  /** The service's response about the receipt; by default it has the receipt. */
  service?: 'unknown' | 'away'
  /** The refunds that the service lists. */
  serviceRefunds?: readonly ReceiptRefund[]
  /** RPC results by method that replace the defaults; a function receives the parameters. */
  chain?: object
  width?: number
}

/** Opens the page under the server's policy, and collects its complaints. */
async function open({
  fragment = '',
  locale = 'en',
  dark = false,
  rpc,
  service: has,
  serviceRefunds,
  chain = {},
  width = 720,
}: Opening = {}) {
  const requests: string[] = []
  const serve = async (route: Route) => {
    const request = route.request()
    const { pathname, origin } = new URL(request.url())
    requests.push(origin + pathname)
    if (origin === new URL(rpcUrl).origin) {
      if (rpc === 'away') return route.abort()
      const { id, method, params } = request.postDataJSON()
      const rpcResult: unknown = { ...rpcResults, ...chain }[method as string]
      const result = typeof rpcResult === 'function' ? rpcResult(params) : rpcResult
      return route.fulfill({
        json: { jsonrpc: '2.0', id, result },
        headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
      })
    }
    if (request.method() === 'POST') {
      const { payment_intent: id, salt: key, ...rest } = JSON.parse(request.postData() ?? '')
      const isIssuedReceipt =
        id === receipt.payment_intent && key === salt && Object.keys(rest).length === 0
      const { metadata: _, ...receiptFields } = receipt
      if (has === 'away') return route.abort()
      if (has === 'unknown' || !isIssuedReceipt) return route.fulfill({ status: 404, json: {} })
      return route.fulfill({
        json: {
          ...{
            ...receiptFields,
            merchant_name: 'The <i>Kiosk</i>',
            support: 'https://kiosk.example/help',
          },
          ...(serviceRefunds ? { refunds: serviceRefunds } : {}),
        },
      })
    }
    if (pathname === '/v1/receipt.js') {
      const path = join(inject('bundles'), 'receiptPage.js')
      return route.fulfill({ contentType: 'text/javascript', body: await readFile(path) })
    }
    const attribute = JSON.stringify(networks).replaceAll('"', '&quot;')
    return route.fulfill({
      contentType: 'text/html; charset=utf-8',
      headers: {
        'content-security-policy': `default-src 'none'; script-src 'self'; connect-src 'self' ${rpcUrl}; img-src data:; require-trusted-types-for 'script'`,
      },
      body: `<!doctype html><html lang="en"><head><title>Receipt</title><link rel="icon" href="data:,"></head><body><script src="/v1/receipt.js" data-networks="${attribute}"></script></body></html>`,
    })
  }
  const { page, complaints } = await openHostedPage({
    ...{ path: `/receipt#${fragment}`, serve, locale, dark, viewport: { width, height: 1000 } },
  })
  return { page, requests, complaints }
}

/** The words of a verdict about the receipt's network. */
const verdictText = (key: 'proven' | 'paid', words: typeof messages.en = messages.en) =>
  words[key].replace('{network}', 'Base Sepolia')
/** The text of a receipt, without the collapsed proof. */
const paper = (page: Page) =>
  page.locator('.receipt').evaluate((receipt) => {
    const copy = receipt.cloneNode(true) as Element
    copy.querySelector('details')?.remove()
    return copy.textContent
  })
const inFragment = (value: object) => encodeURIComponent(JSON.stringify(value))
const statusOf = (page: Page) => page.getByRole('status')

describe('the receipt in the fragment', () => {
  test.each(isFull ? [{ dark: false }, { dark: true }] : [{ dark: true }])(
    'is proven on the chain, without a request to anybody else: %o',
    async ({ dark }) => {
      const opened = await open({ fragment: inFragment(receipt), dark })
      const { page, requests, complaints } = opened
      await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
      const text = await paper(page)
      for (const shown of [
        messages.en.confirmed,
        `Paid by${payer}`,
        `Paid to${wallet}`,
        'Base Sepolia',
        'A gift',
        'Contact The <i>Kiosk</i> kiosk.example/help',
      ]) {
        expect(text).toContain(shown)
      }
      expect(text).not.toContain('hidden')
      expect(text).not.toContain('<b>Kiosk</b>')
      expect(await page.locator('header').textContent()).toMatch(
        /^ReceiptThe <i>Kiosk<\/i>25.00\u00a0USDCNovember 22, 2026 .*Order 1042$/,
      )
      expect(await page.locator('li').allTextContents()).toEqual([
        ...['2 × Mug <b>blue</b>10.00', 'Shipping5.00', 'Odd'],
      ])
      expect(await page.title()).toBe('Receipt · The <i>Kiosk</i>')
      expect(await axeFaults(page)).toEqual([])
      const proof = page.locator('details')
      expect(await proof.locator('dl').isVisible()).toBe(false)
      await proof.locator('summary').click()
      for (const shown of [txHash, receipt.payment_intent, receipt.payment_reference, '"hidden"']) {
        expect(await proof.textContent()).toContain(shown)
      }
      expect(await axeFaults(page)).toEqual([])
      expect(complaints).toEqual([])
      expect(new Set(requests)).toEqual(
        new Set([`${serviceOrigin}/receipt`, `${serviceOrigin}/v1/receipt.js`, rpcUrl]),
      )
    },
  )

  test('shows the shop’s own price, and the lines in its currency', async () => {
    const metadata = { ...receipt.metadata, fiat: { currency: 'EUR', amount: '21.5' } }
    const { page } = await open({ fragment: inFragment({ ...receipt, metadata }) })
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
    expect(await page.locator('.claims li').allTextContents()).toEqual([
      ...['2 × Mug <b>blue</b>€10.00', 'Shipping€5.00', 'Odd', 'Price€21.50'],
    ])
    // The head shows the amount on the chain.
    expect(await page.locator('.sum').textContent()).toBe('25.00\u00a0USDC')
    expect(await axeFaults(page)).toEqual([])
  })

  test('shows a price without items, and no malformed price', async () => {
    const { metadata: _, ...bare } = receipt
    for (const [fiat, shown] of [
      [{ currency: 'JPY', amount: '3400' }, ['Price¥3,400']],
      [{ currency: '<b>', amount: '1' }, []],
    ] as const) {
      const { page } = await open({ fragment: inFragment({ ...bare, metadata: { fiat } }) })
      await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
      expect(await page.locator('.claims li').allTextContents()).toEqual(shown)
    }
  })

  test('can be saved and opened again from the file', async () => {
    const { page } = await open({ fragment: inFragment(receipt) })
    await page.locator('summary').click()
    const link = page.getByRole('link', { name: messages.en.download })
    expect(await link.getAttribute('download')).toBe('receipt-pi_test_0001.json')
    const href = (await link.getAttribute('href')) ?? ''
    const saved = decodeURIComponent(href.slice(href.indexOf(',') + 1))
    expect(JSON.parse(saved)).toEqual(receipt)
    const other = await open()
    expect(await statusOf(other.page).textContent()).toBe(messages.en.none)
    await other.page
      .getByLabel(messages.en.open)
      .setInputFiles({ name: 'r.json', mimeType: 'application/json', buffer: Buffer.from(saved) })
    await expect.poll(() => statusOf(other.page).textContent()).toContain(verdictText('proven'))
  })

  test.each<[string, Opening, string]>([
    ['another price', { fragment: inFragment({ ...receipt, amount_units: 1 }) }, 'refuted'],
    ['an unreachable chain', { fragment: inFragment(receipt), rpc: 'away' }, 'unknown'],
    ['another chain', { fragment: inFragment({ ...receipt, chain_id: 1 }) }, 'unknownNetwork'],
    ['a truncated receipt', { fragment: inFragment(receipt).slice(0, 200) }, 'malformed'],
    ['invalid percent-encoding', { fragment: '%ff%fe' }, 'malformed'],
  ])('shows an error for %s', async (_, opening, message) => {
    const { page } = await open(opening)
    const text = messages.en[message as keyof typeof messages.en]
    await expect.poll(() => statusOf(page).textContent()).toContain(text)
  })

  test.each([
    ['denied', 'unknown'],
    ['unconfirmed', 'away'],
  ] as const)('is shown as a claim of its bearer if it is %s', async (message, service) => {
    const bare = `0xa9059cbb${topic(wallet).slice(2)}${word(price)}`
    const chain = { eth_getTransactionByHash: { from: payer, to: token, input: bare } }
    const { page } = await open({ fragment: inFragment(receipt), service, chain })
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('paid'))
    const text = await paper(page)
    expect(text).toContain(messages.en[message])
    expect(await page.locator('header').textContent()).not.toContain('1042')
    const claims = page.locator('.claims')
    expect(await claims.textContent()).toContain(messages.en.said)
    expect(await claims.textContent()).toContain('<b>Kiosk</b>')
    // The name is nowhere else.
    expect(text?.split('<b>Kiosk</b>')).toHaveLength(2)
  })

  test('is printed with its proof, in black on white, without buttons', async () => {
    const { page } = await open({ fragment: inFragment(receipt), dark: true })
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
    const printing = page.getByRole('button', { name: messages.en.print })
    await page.evaluate(() => {
      window.print = () => {
        document.body.dataset.printed = document.title
      }
    })
    await printing.click()
    expect(await page.locator('body').getAttribute('data-printed')).toContain('The <i>Kiosk</i>')
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')))
    expect(await printing.isVisible()).toBe(false)
    expect(await page.getByText(messages.en.about).isVisible()).toBe(false)
    expect(await page.locator('details dl').isVisible()).toBe(true)
    const style = (name: string) =>
      page
        .locator('.sum')
        .evaluate((sum, name) => getComputedStyle(sum).getPropertyValue(name), name)
    expect(await style('color')).toBe('rgb(0, 0, 0)')
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
    await page.emulateMedia({ media: 'screen' })
    expect(await page.locator('details dl').isVisible()).toBe(false)
  })

  test('is shared by the dialog of the browser, or by mail, with a link that opens it', async () => {
    const opened = await open({ fragment: inFragment(receipt) })
    await expect.poll(() => statusOf(opened.page).textContent()).toContain(verdictText('proven'))
    const mail = opened.page.getByRole('link', { name: messages.en.mail })
    const address = new URL((await mail.getAttribute('href')) ?? '')
    expect(address.searchParams.get('subject')).toBe('Receipt · The <i>Kiosk</i>')
    const [page, fragment = ''] = (address.searchParams.get('body') ?? '').split('#')
    expect(page).toBe(`${serviceOrigin}/receipt`)
    expect(JSON.parse(decodeURIComponent(fragment))).toMatchObject({ salt })
    expect(address.href.length).toBeLessThanOrEqual(2_000)

    await opened.page.evaluate(() => {
      navigator.share = async (data) => {
        document.body.dataset.shared = JSON.stringify(data)
        throw new DOMException('', 'AbortError')
      }
      location.hash += '%20'
    })
    await opened.page.getByRole('button', { name: messages.en.share }).click()
    const data = JSON.parse((await opened.page.locator('body').getAttribute('data-shared')) ?? '')
    expect(data.title).toContain('Receipt')
    expect(JSON.parse(decodeURIComponent(data.url.split('#')[1]))).toEqual(receipt)
    expect(opened.complaints).toEqual([])
  })

  test('is read anew when the fragment changes', async () => {
    const { page } = await open({ fragment: inFragment({ ...receipt, amount_units: 1 }) })
    await expect.poll(() => statusOf(page).textContent()).toContain(messages.en.refuted)
    await page.evaluate((hash) => {
      location.hash = hash
    }, inFragment(receipt))
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
  })
})

describe('a refund', () => {
  const explorer = `https://sepolia.basescan.org/tx/${refund.tx_hash}`
  const section = (page: Page) => page.locator('.refunds')
  const note = (key: 'refundProven' | 'refundStated' | 'refundClaimed', words = messages.en) =>
    words[key].replace('{network}', 'Base Sepolia')

  test.each([
    { width: 720, dark: false },
    { width: 320, dark: true },
  ])('is shown with a link to its transaction, as the signature proves it: %o', async (screen) => {
    const { page, complaints } = await open({
      ...{ ...screen, fragment: inFragment(refunded), serviceRefunds: [refund] },
      chain: withRefund({ isSigned: true }),
    })
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
    expect(await section(page).textContent()).toBe(
      `Refunded 4.00\u00a0USDC 0xfefe…fefe ${note('refundProven')}`,
    )
    expect(await section(page).getByRole('link').getAttribute('href')).toBe(explorer)
    // The head shows the paid amount.
    expect(await page.locator('.sum').textContent()).toBe('25.00\u00a0USDC')
    await page.locator('summary').click()
    const proof = await page.locator('details dl').textContent()
    for (const shown of [refund.id, `${wallet} → ${payer}`, refund.tx_hash]) {
      expect(proof).toContain(shown)
    }
    expect(await axeFaults(page)).toEqual([])
    const overflow = () => document.documentElement.scrollWidth - window.innerWidth
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  })

  test('is shown to the holder of an earlier receipt', async () => {
    const chain = withRefund({ isSigned: true })
    const { page } = await open({ fragment: inFragment(receipt), serviceRefunds: [refund], chain })
    await expect.poll(() => section(page).textContent()).toContain('Refunded 4.00\u00a0USDC')
  })

  test.each<[string, Opening, Parameters<typeof note>[0]]>([
    [
      'a statement of the shop if the service lists it',
      { serviceRefunds: [refund] },
      'refundStated',
    ],
    ['a claim if the service does not list it', {}, 'refundClaimed'],
    ['a claim if the service is unreachable', { service: 'away' }, 'refundClaimed'],
    [
      'a claim if it is signed and the service does not list it',
      { chain: withRefund({ isSigned: true }) },
      'refundClaimed',
    ],
    [
      'proven if it is signed and the service is unreachable',
      { chain: withRefund({ isSigned: true }), service: 'away' },
      'refundProven',
    ],
  ])('is shown as %s', async (_, opening, key) => {
    const chain = withRefund({ isSigned: false })
    const { page } = await open({ fragment: inFragment(refunded), chain, ...opening })
    await expect.poll(() => section(page).textContent()).toContain(note(key))
  })

  test('is shown as on its way while no block has it', async () => {
    const pending = { ...refund, status: 'pending', tx_hash: null } as const
    const { page } = await open({
      ...{ fragment: inFragment({ ...receipt, refunds: [pending] }), serviceRefunds: [pending] },
    })
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven'))
    expect(await section(page).textContent()).toBe('A refund of 4.00\u00a0USDC is on its way ')
  })

  test('refutes the receipt if the chain has other terms', async () => {
    const misdirected = { ...refund, destination: wallet }
    const chain = withRefund({ isSigned: true })
    const { page } = await open({
      fragment: inFragment({ ...receipt, refunds: [misdirected] }),
      chain,
    })
    await expect.poll(() => statusOf(page).textContent()).toContain(messages.en.refuted)
    expect(await section(page).count()).toBe(0)
  })

  test('is omitted from a mail that would be too long, since the service has it', async () => {
    const refunds = Array.from({ length: 3 }, (_, n) => ({ ...refund, id: `re_${n}` }))
    const { page } = await open({ fragment: inFragment({ ...receipt, refunds }) })
    const href = await page.getByRole('link', { name: messages.en.mail }).getAttribute('href')
    expect(href?.length).toBeLessThanOrEqual(2_000)
    const [, fragment = ''] = (new URL(href ?? '').searchParams.get('body') ?? '').split('#')
    const { metadata: _, ...terms } = receipt
    expect(JSON.parse(decodeURIComponent(fragment))).toEqual(terms)
  })

  test('is shown in each language, on a phone, in the dark', async () => {
    const chain = withRefund({ isSigned: true })
    const { page } = await open({ chain, serviceRefunds: [refund], width: 320, dark: true })
    for (const [locale, words] of spoken()) {
      await page.goto(`${serviceOrigin}/receipt?locale=${locale}#${inFragment(refunded)}`)
      await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven', words))
      const [before = '', after = ''] = words.refunded.split('{amount}')
      const text = await section(page).textContent()
      expect(text?.startsWith(before)).toBe(true)
      expect(text).toContain(`USDC${after} 0xfefe…fefe`)
      expect(text).toContain(note('refundProven', words))
      const overflow = () => document.documentElement.scrollWidth - window.innerWidth
      expect({ locale, over: await page.evaluate(overflow) }).toEqual({ locale, over: 0 })
      if (locale === 'ar') expect(await axeFaults(page)).toEqual([])
    }
  })
})

test('the page has every language of the checkout', async () => {
  expect(Object.keys(messages).sort()).toEqual(['en', ...languages].sort())
  const { page } = await open()
  for (const [locale, words] of spoken()) {
    await page.goto(`${serviceOrigin}/receipt?locale=${locale}#${inFragment(receipt)}`)
    await expect.poll(() => statusOf(page).textContent()).toContain(verdictText('proven', words))
    expect(await page.title()).toBe(`${words.title} · The <i>Kiosk</i>`)
    const direction = await page.evaluate(() => document.documentElement.dir)
    expect(direction).toBe(locale === 'ar' ? 'rtl' : 'ltr')
  }
})

/** In the quick tier, the default language, another left-to-right language, and a right-to-left language. The compiler checks the keys. */
function spoken() {
  const all = Object.entries(messages)
  return all.filter(([locale]) => isFull || ['en', 'de', 'ar'].includes(locale))
}
