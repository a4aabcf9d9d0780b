import { EventEmitter } from 'node:events'
import {
  createTestWallet,
  type TestWallet,
  type WalletDecision,
  type WalletQuestion,
} from '@payment-intents/testing/wallet'
import type { Page } from 'playwright-core'

/** The response of a wallet in place of the honest response, which `truth` returns. */
export type Lie = (truth: () => Promise<unknown>, params: unknown) => unknown

export type WalletScript = {
  name?: string
  /** The chain that it is on at first; by default the payment's. The page has to add any other. */
  chainId?: number
  atomic?: 'supported' | 'ready'
  decide?: (question: WalletQuestion) => WalletDecision
  /** By method; `eth_call` also by its selector, as in `eth_call 0x70a08231`. */
  lies?: Record<string, Lie>
}

export type ScriptedWallet = {
  /** From now on it approves everything and responds honestly. */
  reform(): void
  /** Waits until it has responded to a method. */
  untilReplied(method: string): Promise<void>
  /** Waits for its next response to any method. */
  nextResponse(): Promise<void>
  /** Announces it to the page by EIP-6963, if `announced` was false. */
  announce(): Promise<void>
}

/** A refusal (EIP-1193). */
export function refuse(code: number, message: string, data?: unknown): Lie {
  return () => Promise.reject(Object.assign(new Error(message), { code, data }))
}

const anything = Symbol('anything')

export const hang: Lie = () => new Promise(() => {})

/** Lies the first time only. */
export function once(lie: Lie): Lie {
  let hasLied = false
  return (truth, params) => {
    if (hasLied) return truth()
    hasLied = true
    return lie(truth, params)
  }
}

export function respondWith(value: unknown): Lie {
  return () => value
}

/**
 * A wallet outside the page, like an extension: it runs here and reaches its chain by itself, so that the page's
 * policy need not allow it. All that it does is real but for its lies.
 */
export async function installWallet(
  page: Page,
  account: { rpcUrl: string; privateKey: `0x${string}` },
  { name = 'Test Wallet', lies = {}, decide, ...script }: WalletScript,
  announced: boolean,
): Promise<ScriptedWallet> {
  let reformed = false
  const untilReplied = new Set<string>()
  const responses = new EventEmitter()
  const wallet = createTestWallet({
    rpcUrl: account.rpcUrl,
    account: account.privateKey,
    ...script,
    decide: (question) => (reformed ? 'approve' : (decide?.(question) ?? 'approve')),
  })
  const binding = `ask_${name.replaceAll(' ', '_')}`
  await page.exposeFunction(binding, async (method: string, params: unknown) => {
    const truth = () => wallet.request({ method, params })
    const lie = reformed ? undefined : (lies[`${method} ${selectorOf(params)}`] ?? lies[method])
    try {
      return { respondWith: await (lie ? lie(truth, params) : truth()) }
    } catch (error) {
      const { code, message, data } = error as { code: number; message: string; data: unknown }
      return { error: { code, message, data } }
    } finally {
      untilReplied.add(method)
      responses.emit(method)
      responses.emit(anything)
    }
  })
  const announcement = { name, binding }
  if (announced) await page.addInitScript(announce, announcement)
  return {
    reform() {
      reformed = true
    },
    async untilReplied(method) {
      if (!untilReplied.has(method)) await EventEmitter.once(responses, method)
    },
    async nextResponse() {
      await EventEmitter.once(responses, anything)
    },
    announce: () => page.evaluate(announce, announcement),
  }
}

function selectorOf(params: unknown): string {
  const [call] = Array.isArray(params) ? params : []
  return String(call?.data ?? '').slice(0, 10)
}

/** Runs in the page. */
function announce({ name, binding }: { name: string; binding: string }): void {
  type Reply = { respondWith: unknown } | { error: { message: string } }
  const request: TestWallet['request'] = async ({ method, params }) => {
    const requestReply = Reflect.get(window, binding) as (
      method: string,
      params: unknown,
    ) => Promise<Reply>
    const reply = await requestReply(method, params ?? [])
    if ('error' in reply) throw Object.assign(new Error(reply.error.message), reply.error)
    return reply.respondWith
  }
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 36 36"><rect width="36" height="36" fill="#4f46e5"/><path d="M9 13h18v12H9z" fill="#fff"/><circle cx="23" cy="19" r="2" fill="#4f46e5"/></svg>'
  const icon = `data:image/svg+xml,${encodeURIComponent(drawing)}`
  const info = { uuid: binding, name, icon, rdns: 'example.wallet' }
  const detail = Object.freeze({ info: Object.freeze(info), provider: Object.freeze({ request }) })
  const announceProvider = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announceProvider)
  announceProvider()
}
