import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResolvedPaymentLink } from '@payment-intents/contract'
import type { Page, Route } from 'playwright-core'
import { expect, inject } from 'vitest'
import type { Intent } from '../../../src/service/parseIntent.ts'
import { readMessages } from '../readMessages.ts'
import { intent } from '../testIntents.ts'
import { openHostedPage } from './openHostedPage.ts'

// The page of a payment link under the server's policy, with a service of this test that keeps the payments of visitors.

export const linkId = 'plink_01abcdefghijklmnopqrstuvwxyz12'

export function linkOf(changes: Partial<ResolvedPaymentLink> = {}): ResolvedPaymentLink {
  return {
    ...{ id: linkId, mode: 'testnet', status: 'open', decimals: 6, token_symbol: 'USDC' },
    ...{ amount_units: 24_000_000, min_units: null, max_units: null, return_url: null },
    ...{ description: 'Guitar lesson', merchant_name: 'Kiosk', picture: null, payment: null },
    support: 'help@kiosk.example',
    networks: [network('base'), network('arbitrum')],
    ...changes,
  }
}

export function network(chain: string, balance_units: number | null = null) {
  const name = { base: 'Base Sepolia', arbitrum: 'Arbitrum Sepolia' }[chain] ?? chain
  return { chain, chain_id: 84532, name, balance_units } as ResolvedPaymentLink['networks'][number]
}

/** A status with a body, or a request that fails. */
type Refusal = { status: number; json?: object; headers?: Record<string, string> } | 'cut'

export type LinkService = {
  /** Null: the link does not exist. */
  link: ResolvedPaymentLink | null
  /** Errors that the next requests get. */
  refuses: { resolve: Refusal | null; pay: Refusal | null; intent: Refusal | null }
  /** The response to a payment waits for this. */
  pending: Promise<void> | null
  /** Payments by the visitor's key, the newest last. */
  payments: Map<string, { secret: string; chain: string; intent: Intent }[]>
  /** Bodies of the requests to pay, and to resolve the link and a payment. */
  paid: Record<string, unknown>[]
  resolved: Record<string, unknown>[]
  resolvedIntents: Record<string, unknown>[]
  /** By chain. */
  balances: Record<string, number>
  /** The amount that `reserve_amount` reserves; null: `no_payable_amount_left`. */
  reservation: Intent['manual']
}

type Opening = {
  link?: Partial<ResolvedPaymentLink> | 'unknown'
  payment?: Partial<Intent>
  locale?: string
  dark?: boolean
  isPhone?: boolean
  /** Accounts that the wallet shows without a prompt; null: no wallet. */
  accounts?: readonly string[] | null
  before?: (service: LinkService) => void
  query?: string
}

export async function openLink(opening: Opening = {}) {
  const { link = {}, locale = 'en', accounts = null } = opening
  const service: LinkService = {
    link: link === 'unknown' ? null : linkOf(link),
    refuses: { resolve: null, pay: null, intent: null },
    pending: null,
    ...{ payments: new Map(), paid: [], resolved: [], resolvedIntents: [], balances: {} },
    reservation: { payable_amount_units: 24_000_123, payment_uri: 'ethereum:…' },
  }
  opening.before?.(service)
  const urls: string[] = []
  const opened = await openHostedPage({
    ...{ locale, dark: opening.dark ?? false, isMobile: opening.isPhone ?? false },
    viewport: opening.isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    path: `/l/${linkId}${opening.query ?? ''}`,
    ignored: /status of|ERR_FAILED|ERR_INTERNET/,
    async serve(route) {
      urls.push(route.request().url())
      await serve(route, service, opening.payment ?? {})
    },
    prepare: (context) => context.addInitScript(installWallet, { accounts }),
  })
  const { page, context, complaints } = opened
  return { page, service, complaints, urls, context }
}

/** Runs in the page. */
function installWallet({ accounts }: { accounts: readonly string[] | null }): void {
  document.addEventListener('securitypolicyviolation', ({ blockedURI, effectiveDirective }) =>
    console.error(`Policy: ${effectiveDirective} ${blockedURI}`),
  )
  if (!accounts) return
  const requests: string[] = []
  Object.assign(window, { requests })
  const provider = {
    async request({ method }: { method: string }) {
      requests.push(method)
      if (method === 'eth_accounts') return accounts
      throw { code: 4001 }
    },
  }
  const info = { uuid: '1', name: 'Foxy', rdns: 'io.foxy', icon: 'data:image/svg+xml,<svg/>' }
  window.addEventListener('eip6963:requestProvider', () => {
    const detail = { info, provider }
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  })
}

async function serve(route: Route, service: LinkService, changes: Partial<Intent>) {
  const request = route.request()
  const { pathname } = new URL(request.url())
  const locale = /^\/v1\/locales\/(\w+)\.json$/.exec(pathname)?.[1]
  if (locale) return route.fulfill({ json: await readMessages(locale) })
  if (pathname === '/v1/link_page.js') {
    const body = await readFile(join(inject('bundles'), 'linkPage.js'))
    return route.fulfill({ contentType: 'text/javascript', body })
  }
  if (pathname === '/picture.png')
    return route.fulfill({ contentType: 'image/svg+xml', body: picture })
  if (request.method() === 'GET')
    return route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: html })
  const body = JSON.parse(request.postData() ?? '')
  if (pathname === '/v1/payment_links/resolve') {
    service.resolved.push(body)
    if (service.refuses.resolve) return refuse(route, service.refuses.resolve)
    return resolve(route, service, body)
  }
  if (pathname === '/v1/payment_links/pay') {
    service.paid.push(body)
    if (service.refuses.pay) return refuse(route, service.refuses.pay)
    return pay(route, service, body, changes)
  }
  if (pathname.endsWith('/handoff'))
    return route.fulfill({ status: 404, json: { error: 'not_found' } })
  service.resolvedIntents.push(body)
  await service.pending
  if (service.refuses.intent) return refuse(route, service.refuses.intent)
  const payment = [...service.payments.values()]
    .flat()
    .find(({ secret }) => secret === body.client_secret)
  if (!payment) return route.fulfill({ status: 404, json: { error: 'intent_not_found' } })
  if (body.reserve_amount && !payment.intent.manual) {
    const { reservation: manual } = service
    const amount = manual && { amount_units: manual.payable_amount_units }
    payment.intent = {
      ...payment.intent,
      ...{ manual, manual_available: !manual, version: payment.intent.version + 1 },
      ...amount,
    }
  }
  return route.fulfill({ json: payment.intent })
}

type Body = {
  id: string
  visitor?: string
  chain?: string
  amount_units?: number
  payer?: string
  merchant?: string
}

function resolve(
  route: Route,
  { link, payments, balances }: LinkService,
  { visitor = '', payer }: Body,
) {
  if (!link) return route.fulfill({ status: 404, json: { error: 'not_found' } })
  const newest = payments
    .get(visitor)
    ?.findLast(({ intent }) => /^(requires|pending|succe)/.test(intent.status))
  const payment = newest && {
    ...{ client_secret: newest.secret, chain: newest.chain as 'base' },
    amount_units: newest.intent.price_units,
  }
  const networks = link.networks.map((network) => ({
    ...network,
    balance_units: payer ? (balances[network.chain] ?? 0) : null,
  }))
  return route.fulfill({ json: { ...link, networks, payment: payment ?? null } })
}

function pay(route: Route, { link, payments }: LinkService, body: Body, changes: Partial<Intent>) {
  const { visitor = '', chain = '' } = body
  const price_units = body.amount_units ?? link?.amount_units ?? 0
  const visitorPayments = payments.get(visitor) ?? []
  payments.set(visitor, visitorPayments)
  const isSame = ({ chain: on, intent }: (typeof visitorPayments)[number]) =>
    on === chain && intent.price_units === price_units && intent.status === 'requires_payment'
  const open = visitorPayments.find(isSame)
  for (const payment of visitorPayments) {
    if (payment !== open && payment.intent.status === 'requires_payment') {
      payment.intent = {
        ...payment.intent,
        status: 'canceled',
        version: payment.intent.version + 1,
      }
    }
  }
  const id = `pi_link_${[...payments.values()].flat().length + 1}`
  const created = open ?? {
    secret: `${id}_secret_1`,
    chain,
    intent: intent({
      ...{ id, amount_units: price_units, price_units, manual: null, manual_available: true },
      metadata: { description: link?.description },
      network: { ...intent().network, name: network(chain).name },
      ...changes,
    }),
  }
  if (!open) visitorPayments.push(created)
  return route.fulfill({
    json: { payment_intent: created.intent.id, client_secret: created.secret },
  })
}

function refuse(route: Route, refusal: Refusal) {
  if (refusal === 'cut') return route.abort()
  return route.fulfill({ json: {}, ...refusal })
}

const headers = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'none'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

const html =
  '<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width, initial-scale=1"><title>Payment</title><link rel="icon" href="data:,"></head><body><script defer src="/v1/link_page.js"></script><main></main><div id="checkout"></div></body></html>'

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="#0f766e"/></svg>'

export const screenOf = (page: Page, name: string) => page.locator(`[data-screen=${name}]`)

/** Lets the test end only once nothing was written to the console. */
export function expectNone(complaints: readonly string[]) {
  expect(complaints).toEqual([])
}
