import { afterEach, beforeEach, expect } from 'vitest'
import type { Intent } from '../../src/service/parseIntent.ts'
import { setResponse as serve } from './origins.ts'
import { complaints, open, openShop, page } from './shopPage.ts'
import { intent, txHash } from './testIntents.ts'

// A shop whose script tag has `data-buttons`, and the responses of the service by client secret.

let responses: Map<string, Intent | number>

beforeEach(async () => {
  responses = new Map()
  serve((secret) => responses.get(secret) ?? 404)
  const markup = `<button id="buy" data-client-secret="button" data-merchant-name="Kiosk">Buy</button>`
  await openShop({ by: 'buttons', markup, probed: false })
})

afterEach(() => expect(complaints).toEqual([]))

export const secret = 'pi_test_0001_secret_abc'
/** Keys of the requests that the checkout has stored. */
export const stored = () =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key !== 'payment-intents-wallet'))
/** The primary action; usually none while money may be under way. */
export const primary = () => page.locator('.sheet .primary')

/** Sets the service's next responses, also to held requests. */
export function respondWith(secret: string, response: Intent | number) {
  responses.set(secret, response)
  serve((secretOfRequest) => responses.get(secretOfRequest) ?? 404)
}

/** Opens a checkout with this response of the service, and with a wallet if `table` has differences from `wallet`. */
export async function openFor(
  secret: string,
  response: Intent | number,
  table?: Record<string, unknown>,
) {
  respondWith(secret, response)
  if (table) await addWallet({ ...wallet, ...table })
  await open(secret)
}

/** Opens a checkout as `openFor` does, and picks the wallet. */
export async function payBy(
  secret: string,
  response: Intent | number,
  table: Record<string, unknown> = {},
) {
  await openFor(secret, response, table)
  await pickWallet()
}

export const pickWallet = () => page.getByRole('button', { name: 'Test' }).click()

/** Methods that the page has called on its wallet. */
export const walletMethods = () =>
  page.evaluate(() => (window as unknown as { walletMethods: string[] }).walletMethods)

/** The wallet sends its `later` response. */
export const respondLater = () =>
  page.evaluate(async () => {
    window.dispatchEvent(new Event('respond'))
    // The checkout reacts in the same task.
    await new Promise((resolve) => setTimeout(resolve))
  })

/** The wallet refuses its held requests. */
export const refuseHeldRequest = () =>
  page.evaluate(() => (window as unknown as { refuseHeldRequest(): void }).refuseHeldRequest())

export const payment = { payment_intent_id: 'pi_test_0001', tx_hash: txHash }
export const pending = intent({
  status: 'pending_confirmations',
  tx_hash: txHash,
  confirmations: 2,
  version: 2,
})
export const paid = intent({ status: 'succeeded', tx_hash: txHash, confirmations: 5, version: 3 })

/** Changes the responses of this page's wallet. */
export const changeWallet = (changes: Record<string, unknown>) =>
  page.evaluate((changes) => {
    Object.assign((window as unknown as { table: object }).table, changes)
  }, changes)

/** The wallet settles its queued requests, or only the request at this place. */
export const settleQueued = (how: 'approve' | 'decline', at?: number) =>
  page.evaluate(
    async ({ how, at }) => {
      const { queue = [] } = window as unknown as { queue?: ((how: string) => void)[] }
      for (const [place, response] of queue.entries())
        if (at === undefined || at === place) response(how)
      // The checkout reacts in the same task; also where the clock is held.
      const { port1, port2 } = new MessageChannel()
      await new Promise((resolve) => {
        port1.onmessage = resolve
        port2.postMessage(null)
      })
    },
    { how, at },
  )

/** Presses the first button of the screen; returns the methods that the wallet received in the same task. */
export const pressPrimary = () =>
  page.evaluate(() => {
    const { walletMethods } = window as unknown as { walletMethods: string[] }
    const before = walletMethods.length
    document
      .querySelector('div[lang]')
      ?.shadowRoot?.querySelector<HTMLButtonElement>('.sheet .primary')
      ?.click()
    return walletMethods.slice(before)
  })

/**
 * A wallet that announces itself and responds from a table, since functions cannot be passed to the page. `'never'`
 * never responds, `'held'` waits for `refuseHeldRequest`, `'queued'` for its place in `queue`, with its method in `queued`;
 * `{ refuse: code }` refuses.
 *
 * @param as `injected`: it is `window.ethereum`, and announces nothing
 */
export function addWallet(
  table: Record<string, unknown>,
  as: 'announced' | 'injected' = 'announced',
) {
  return page.evaluate(
    ({ table, as }) => {
      const walletMethods: string[] = []
      const requests: unknown[] = []
      Object.assign(window, { walletMethods, requests, table })
      const listeners = new Set<() => void>()
      /** As when the wallet's chain changes. */
      const emit = () => {
        for (const listener of listeners) listener()
      }
      Object.assign(window, { emit })
      const provider = {
        on: (_: string, listener: () => void) => listeners.add(listener),
        removeListener: (_: string, listener: () => void) => listeners.delete(listener),
        request: async ({ method, params }: { method: string; params?: { data: string }[] }) => {
          walletMethods.push(method)
          requests.push({ method, params })
          const data = method === 'eth_call' ? (params?.[0]?.data ?? '') : ''
          // For `eth_call`, the full calldata takes precedence over its selector.
          const [key = method] = data
            ? [`eth_call ${data}`, `eth_call ${data.slice(0, 10)}`].filter((name) => name in table)
            : [method]
          if (table[key] === 'never') return new Promise(() => {})
          if (table[key] === 'queued') {
            const shop = window as unknown as {
              queue?: ((how: string) => void)[]
              queued?: string[]
            }
            shop.queue ??= []
            shop.queued ??= []
            const { queue, queued } = shop
            queued.push(method)
            return new Promise((resolve, reject) => {
              queue.push((how) => {
                const isSigned = method === 'eth_signTypedData_v4'
                if (how === 'approve') resolve(`0x${'cd'.repeat(isSigned ? 65 : 32)}`)
                else reject({ code: { decline: 4001, 'refuse as busy': -32002 }[how] ?? -32603 })
              })
            })
          }
          if (table[key] === 'held') {
            return new Promise((_, reject) => {
              Object.assign(window, { refuseHeldRequest: () => reject({ code: 4001 }) })
            })
          }
          const later = (table[key] as { later?: unknown } | null)?.later
          if (later) {
            await new Promise((response) =>
              window.addEventListener('respond', response, { once: true }),
            )
            return later
          }
          if (!(key in table)) throw { code: 4200 }
          const response = table[key] as { refuse?: number } | null
          if (response?.refuse) throw { code: response.refuse }
          return response
        },
      }
      if (as === 'injected') return void Object.assign(window, { ethereum: provider })
      const info = {
        ...{ uuid: 'test', name: '<b>Test</b> Wallet', rdns: 'example.test' },
        icon: 'https://evil.example/x.png',
      }
      const announce = () =>
        window.dispatchEvent(
          new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }),
        )
      window.addEventListener('eip6963:requestProvider', announce)
      announce()
    },
    { table, as },
  )
}

/** Wallets that announce themselves and never respond. */
export const announce = (...wallets: readonly (readonly [name: string, rdns: unknown])[]) =>
  page.evaluate((wallets) => {
    window.addEventListener('eip6963:requestProvider', () => {
      for (const [name, rdns] of wallets) {
        const info = { uuid: name, name, rdns, icon: 'data:image/png;base64,AA==' }
        const detail = { info, provider: { request: () => new Promise(() => {}) } }
        window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
      }
    })
  }, wallets)

export const signature = `0x${'cd'.repeat(65)}`

export const wallet = {
  eth_requestAccounts: [`0x${'22'.repeat(20)}`],
  eth_chainId: '0x14a34',
  'eth_call 0x70a08231': `0x${'0'.repeat(50)}ffffffffffffff`,
  'eth_call 0x5c975abb': `0x${'0'.repeat(64)}`,
  'eth_call 0xfe575a87': `0x${'0'.repeat(64)}`,
  eth_getCode: '0x',
  eth_getBalance: '0xde0b6b3a7640000',
  eth_estimateGas: '0xffff',
  eth_gasPrice: '0xffff',
  eth_sendTransaction: txHash,
}

/** A wallet that can sign, and that has gas for a transfer, too. */
export const signer = {
  ...wallet,
  'eth_call 0xe94a0102': `0x${'0'.repeat(64)}`,
  eth_signTypedData_v4: signature,
}
