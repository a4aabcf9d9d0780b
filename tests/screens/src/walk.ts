import { createHash } from 'node:crypto'
import type { CheckoutError } from '@payment-intents/browser'
import type { Page } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { holdMessages } from '../../../packages/browser/test/support/delayMessages.ts'
import { holdClock } from '../../../packages/browser/test/support/holdClock.ts'
import type { Payer } from './entry.ts'
import type { World } from './screensWorld.ts'
import { installWallet, refuse, type ScriptedWallet } from './scriptedWallet.ts'
import { addExplorer, alter, type Fault, faults, resolvePath } from './serviceFaults.ts'

/** One payer on the way to one screen. */
export type Walk = {
  readonly page: Page
  readonly world: World
  readonly wallet: ScriptedWallet
  readonly account: `0x${string}`
  readonly intentId: string
  /** The address that is paid, which no other walk uses. */
  readonly recipient: `0x${string}`
  /** Opens the checkout; `clientSecret` when it is to be another than the intent's. */
  open(clientSecret?: string): Promise<void>
  /** Opens the hosted page; an empty `clientSecret` leaves the secret out. */
  openPage(clientSecret?: string): Promise<void>
  /** Opens the checkout and picks the wallet. */
  pay(): Promise<void>
  /** The same payer in a second tab, where the wallet declined a request; the tab may send another. */
  openTab(): Promise<void>
  closeTab(): Promise<void>
  /** A part of the payment arrives, as from elsewhere. */
  payPart(units: bigint): Promise<void>
  /** From now on the page's requests get this fault instead of the service. */
  serviceIs(how: 'well' | Fault): Promise<void>
  /** The chain has an explorer, as public chains do; call it before the checkout opens. */
  haveExplorer(): Promise<void>
  /** From now on the service's responses hold this, too; call it before the checkout opens. */
  setServiceFields(changes: object): Promise<void>
  /** Stops the clock of the page; call it before the checkout opens. */
  holdClock(): Promise<void>
  /** Whether the payer points with a finger or a mouse. */
  pointWith(what: 'finger' | 'mouse'): Promise<void>
  /** Lets a second pass in the page if its clock is held. */
  advanceSecond(): Promise<void>
  /** Lets time pass in the page, after which its clock runs again. */
  pass(seconds: number): Promise<void>
  /** Lets time pass in the page, a little after each response, until a screen comes. */
  passUntil(screen: string, detail: string): Promise<void>
  /** The payer cancels the last transaction in the wallet: another transaction takes its place. */
  cancelInWallet(): Promise<void>
  /** Waits until the service reports this status. */
  until(status: string, exception?: string): Promise<void>
  /** Waits for a screen. */
  reach(screen: string, detail?: string): Promise<void>
  /** The last error passed to `onError`. */
  error(): Promise<CheckoutError | undefined>
  /** All that the page reported: policy violations, console errors, uncaught errors. */
  readonly complaints: readonly string[]
  end(): Promise<void>
}

/** 24 USDC. */
const price = 24_000_000
const plenty = { usdc: 1_000_000_000n, eth: 10n ** 18n }

/** A new payer with an account, a wallet, a page and a payment intent of their own. */
export async function startWalk(
  world: World,
  payer: Payer,
  { locale = 'en', scale = 1 }: { locale?: string; scale?: number } = {},
): Promise<Walk> {
  const { chain, browser } = world
  const client = payer.isBranded ? world.brandedClient : world.client
  const privateKey = keyOf(`payer ${payer.name} ${locale}`)
  const account = privateKeyToAccount(privateKey).address
  await world.fund(account, { ...plenty, ...payer.holds })
  // A wallet of this intent alone, so that no other intent takes the round amount.
  const recipient = privateKeyToAccount(keyOf(`shop ${nth(`${payer.name} ${locale}`)}`)).address
  const { id, client_secret } = await client.createPaymentIntent({
    amount_units: price,
    wallet_address: recipient,
    ...payer.intent,
  })

  const context = await browser.newContext({
    deviceScaleFactor: scale,
    locale,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...payer.device,
  })
  await context.addInitScript(holdMessages)
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`policy: ${violatedDirective} ${blockedURI}`)
    })
  })
  const key = { rpcUrl: chain.url, privateKey }
  const announced = payer.wallet !== 'none'
  const script = payer.wallet === 'none' ? {} : (payer.wallet ?? {})
  const wallet = await installWallet(page, key, script, announced)
  await page.goto(world.pageUrl)

  let tab: Page | undefined
  let clock: 'running' | 'held' = 'running'
  const walk: Walk = {
    page,
    world,
    wallet,
    account,
    intentId: id,
    recipient,
    complaints,
    open: (clientSecret = client_secret) => page.evaluate(openCheckout, { clientSecret, locale }),
    async openPage(clientSecret = client_secret) {
      await page.goto(`${world.apiUrl}/checkout/#${clientSecret}`)
    },
    async pay() {
      await walk.open()
      await page.locator('.wallets button').first().click()
    },
    async openTab() {
      tab = await context.newPage()
      const declining = { name: 'Test Wallet', lies: { eth_sendTransaction: refuse(4001, 'No.') } }
      await installWallet(tab, key, declining, true)
      await tab.goto(world.pageUrl)
      await tab.evaluate(openCheckout, { clientSecret: client_secret, locale })
      await tab.locator('.wallets button').first().click()
      await tab.locator('[data-screen=problem][data-detail=user_rejected]').waitFor()
      await page.bringToFront()
    },
    async closeTab() {
      await tab?.close()
    },
    async payPart(units) {
      const missing_units = price - Number(units)
      await world.help(`payment_intents/${id}/underpay`, { missing_units })
      await walk.until('requires_payment', 'underpaid')
    },
    async serviceIs(how) {
      await page.unroute(resolvePath)
      if (how !== 'well') await page.route(resolvePath, faults[how])
      // The checkout retries at once when the browser is back online.
      await page.evaluate(() => window.dispatchEvent(new Event('online')))
    },
    async haveExplorer() {
      await page.route(resolvePath, addExplorer)
    },
    async setServiceFields(changes) {
      await page.route(resolvePath, alter(changes))
    },
    async holdClock() {
      await holdClock(page)
      clock = 'held'
    },
    async pointWith(what) {
      const enabled = what === 'finger'
      await cdp.send('Emulation.setTouchEmulationEnabled', { enabled, maxTouchPoints: 1 })
    },
    async advanceSecond() {
      if (clock === 'held') await page.clock.runFor(1000)
    },
    async pass(seconds) {
      await page.clock.fastForward(seconds * 1000)
      await resumeClock()
    },
    async passUntil(screen, detail) {
      await resumeClock()
      const there = page.locator(`[data-screen="${screen}"][data-detail="${detail}"]`)
      while (!(await there.isVisible())) {
        const settled = wallet.nextResponse()
        await page.clock.fastForward(2000)
        // The checkout calls it again after each response, until the screen comes.
        await Promise.race([settled, there.waitFor()])
      }
    },
    async cancelInWallet() {
      const nonce = await chain.rpc<`0x${string}`>('eth_getTransactionCount', [account, 'latest'])
      const gasPrice = BigInt(await chain.rpc<`0x${string}`>('eth_gasPrice'))
      const cancellation = await privateKeyToAccount(privateKey).signTransaction({
        ...{ type: 'legacy', chainId: chain.chainId, nonce: Number(nonce), to: account },
        ...{ gas: 21_000n, gasPrice: gasPrice * 2n },
      })
      await chain.rpc('eth_sendRawTransaction', [cancellation])
      await world.help('chain/mine', { blocks: 1 })
    },
    async until(status, exception) {
      for (let after_version = 0; ; ) {
        const intent = await resolve(world, { client_secret, after_version, wait_seconds: 25 })
        const { exceptions } = intent
        if (intent.status === status && (!exception || exceptions.includes(exception))) return
        after_version = intent.version
      }
    },
    async reach(screen, detail) {
      const detailSelector = detail === undefined ? '' : `[data-detail="${detail}"]`
      await page.locator(`.sheet[data-screen="${screen}"]${detailSelector}`).waitFor()
    },
    error: () => page.evaluate(() => (window as { lastError?: CheckoutError }).lastError),
    end: () => context.close(),
  }
  return walk

  async function resumeClock(): Promise<void> {
    await page.clock.resume()
    clock = 'running'
  }
}

function keyOf(name: string): `0x${string}` {
  return `0x${createHash('sha256').update(name).digest('hex')}`
}

const walked = new Map<string, number>()

/** The same in each run, and different each time within a run. */
function nth(name: string): string {
  const times = (walked.get(name) ?? 0) + 1
  walked.set(name, times)
  return `${name} ${times}`
}

type Resolved = { status: string; exceptions: string[]; version: number }

async function resolve({ apiUrl }: World, request: object): Promise<Resolved> {
  const response = await fetch(`${apiUrl}/v1/payment_intents/resolve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  return response.json()
}

/** Runs in the page, where the script tag has left its only global. */
function openCheckout({ clientSecret, locale }: { clientSecret: string; locale: string }): void {
  type Page = {
    PaymentIntents: { openServiceModal(options: object): void }
    lastError?: CheckoutError
  }
  const page = window as unknown as Page
  page.PaymentIntents.openServiceModal({
    clientSecret,
    locale,
    merchantName: 'Hollow Hill',
    onError: (error: CheckoutError) => {
      page.lastError = error
    },
  })
}
