import { isHex } from '../lib/isHex.ts'
import { sleep } from '../lib/sleep.ts'
import { pickLanguage } from '../locales/pickLanguage.ts'
import { usable } from '../locales/usable.ts'
import sharedStyles from '../receipt/page.css?raw'
import { mountStyles } from '../shell/mountStyles.ts'
import { isRightToLeft } from '../view/content/translator.ts'
import { h } from '../view/parts/h.ts'
import { patch, type VNode } from '../view/parts/patch.ts'
import { discoverWallets, type Wallet } from '../wallet/provider/discoverWallets.ts'
import { callRefund, type Reply } from './callRefund.ts'
import { type Messages, messages } from './messages.ts'
import styles from './page.css?raw'
import { proveByWallet } from './proveByWallet.ts'
import { RefundView, type Shown } from './RefundView.tsx'
import { takeToken } from './takeToken.ts'

// The page on which a payer names the destination of a refund and follows it to its end.

const pollMs = 3_000
const ended: readonly string[] = ['succeeded', 'canceled']

const wanted = new URLSearchParams(location.search).get('locale') ?? undefined
const [language, picked] = pickLanguage(wanted)
const tag = usable(picked)
const texts = messages[language] ?? messages.en

const root: HTMLElement = document.createElement('main')
document.body.append(root)
mountStyles(document, sharedStyles + styles)
document.documentElement.lang = tag
document.documentElement.dir = isRightToLeft(tag) ? 'rtl' : 'ltr'
document.title = texts.title

let token = takeToken()
let shown: Shown = { ...empty(), refund: token ? null : 'unknown' }

function empty(): Shown {
  return {
    ...{ refund: null, step: { name: 'choose' }, note: null, wallets: [] },
    ...{ isReplacing: false, isSending: false, isOffline: false },
  }
}

function t(key: keyof Messages, values: Record<string, string> = {}): string {
  // Isolates the direction of a name (UAX #9).
  return texts[key].replace(/\{(\w+)\}/g, (_, name: string) => `\u2068${values[name] ?? ''}\u2069`)
}

function show(change: Partial<Shown>): void {
  shown = { ...shown, ...change }
  const hadFocus = root.contains(document.activeElement)
  const view = <RefundView shown={shown} t={t} tag={tag} actions={{ sign, name, back, replace }} />
  patch(root, (<main>{view}</main>) as VNode)
  // The focused button may be gone with its screen.
  if (hadFocus && !root.contains(document.activeElement)) root.querySelector('h1')?.focus()
}

/** Shows the service's response; a refusal concerns only this request. */
function take(reply: Reply): void {
  if (reply.type === 'refund') show({ refund: reply.refund, isOffline: false })
  else if (reply.type === 'unreachable') show({ isOffline: true })
  else if (reply.code === 'not_found') show({ refund: 'unknown', isOffline: false })
}

async function refresh(signal?: AbortSignal): Promise<void> {
  if (token) take(await callRefund('resolve', { token }, signal))
}

async function sign(wallet: Wallet): Promise<void> {
  show({ step: { name: 'wallet', wallet }, note: null })
  const response = await proveByWallet(wallet.provider, async (account) => {
    const reply = await callRefund('resolve', {
      token: token ?? '',
      account: account as `0x${string}`,
    })
    take(reply)
    return reply.type === 'refund' ? reply.refund.message_to_sign : null
  })
  // An approval counts even if the payer has gone back meanwhile.
  if (response.type === 'signed') {
    const { account, message, signature } = response
    return send({ destination: account, message, signature })
  }
  const isWaiting = shown.step.name === 'wallet' && shown.step.wallet === wallet
  if (!isWaiting) return
  if (response.type === 'open') show({ note: 'open' })
  else if (response.type === 'unsigned') {
    show({ step: { name: 'unsigned', wallet, account: response.account } })
  } else show({ step: { name: 'choose' }, note: response.type })
}

function name(destination: string): void {
  if (isHex(destination, 40)) void send({ destination })
  else show({ note: 'malformed' })
}

type Named = { destination: string; message?: string; signature?: string }

async function send(named: Named): Promise<void> {
  show({ isSending: true, note: null })
  const request = { ...named, token: token ?? '', destination: named.destination as `0x${string}` }
  const reply = await callRefund('destination', request)
  take(reply)
  if (reply.type === 'refund') {
    return show({ isSending: false, isReplacing: false, step: { name: 'choose' } })
  }
  const isUnusable = reply.type === 'refused' && reply.code === 'wallet_invalid'
  show({ isSending: false, step: { name: 'choose' }, note: isUnusable ? 'unusable' : 'failed' })
  // The destination may have been fixed meanwhile.
  if (reply.type === 'refused') await refresh()
}

function back(): void {
  show({ step: { name: 'choose' }, note: null })
}

function replace(): void {
  show({ isReplacing: true, step: { name: 'choose' }, note: null })
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (!document.hidden) await refresh(signal)
    const { refund } = shown
    if (refund === 'unknown' || (refund && ended.includes(refund.status))) return
    await sleep(pollMs, signal)
  }
}

let following = new AbortController()

function start(): void {
  following.abort()
  following = new AbortController()
  show({})
  if (token) void follow(following.signal)
}

// Another link is opened in this tab.
window.addEventListener('hashchange', () => {
  token = takeToken()
  const { wallets } = shown
  shown = { ...empty(), wallets, refund: token ? null : 'unknown' }
  start()
})
document.addEventListener('visibilitychange', () => document.hidden || void refresh())
window.addEventListener('pageshow', ({ persisted }) => persisted && start())
discoverWallets([], new AbortController().signal, (wallets) => show({ wallets }))
start()
