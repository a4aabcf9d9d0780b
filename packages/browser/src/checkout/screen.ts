import type { CheckoutPaymentMethod } from '../checkoutOptions.ts'
import { manualDue, priceDue } from '../lib/amount.ts'
import { type Intent, isRelayed, isReorged } from '../service/parseIntent.ts'
import type { Order } from '../wallet/encodeTransfer.ts'
import type { Problem } from '../wallet/problem.ts'
import type { Wallet } from '../wallet/provider/discoverWallets.ts'
import type { CheckoutState, PendingRequest, QrContent, WalletStep } from './state.ts'
import { blockers, isUnsigned, unresolvedRequests } from './unresolvedRequests.ts'

/**
 * The source of a sent payment: the wallet, storage (`resumed`) or the chain (`reorged`). A `signed` authorization is being submitted by
 * this page, or was signed in another page, open or closed (`interrupted`). It is `relayed` once the service has it.
 */
type SentSource =
  | 'sent'
  | 'duplicate'
  | 'resumed'
  | 'reorged'
  | 'signed'
  | 'relayed'
  | 'other_tab'
  | 'interrupted'

/** The payment to an intent that has ended: sent, perhaps sent (a wallet had the request), or unknown. */
type LastPayment = 'sent' | 'requested' | 'unknown'

/** The request a wallet may still show: a payment that the payer is sure was not sent, or a signature. */
type OpenRequest = 'none' | 'payment' | 'signature'

export type Screen =
  | { name: 'loading' }
  /** `unknown_token`: the checkout does not support the intent's token or chain. */
  | { name: 'not_found' | 'unknown_token' }
  /**
   * `units`: the only amount to send. `qr`: the code that the payment method `qr` draws (`content`), the available codes (`contents`), and whether
   * the payer chose that method or that code (`isChosen`).
   * `openRequest`: the request that a wallet may still show.
   */
  | {
      name: 'pay'
      intent: Intent
      paymentMethod: CheckoutPaymentMethod
      availableMethods: readonly CheckoutPaymentMethod[]
      qr: { content: QrContent; isChosen: boolean; contents: readonly QrContent[] }
      units: bigint
      openRequest: OpenRequest
    }
  /** A transfer close to the amount has arrived. `isPayers`: the payer says that they sent it; until then, the screen prompts for a statement. */
  | { name: 'near_miss'; intent: Intent; units: bigint; txHash: string; isPayers: boolean }
  /** `order`: the order that the wallet has to pay. */
  | { name: 'wallet'; intent: Intent; wallet: Wallet; step: WalletStep; order: Order | null }
  /** A wallet has a payment request, from here or from another tab, and has not responded. */
  | { name: 'requested'; intent: Intent; wallet: Wallet | null }
  /** `mayStillPay`: a request may still pay. */
  | { name: 'problem'; intent: Intent; wallet: Wallet; problem: Problem; mayStillPay: boolean }
  | {
      name: 'sent'
      intent: Intent
      source: SentSource
      txHash: string | null
      isRequesting: boolean
    }
  | { name: 'confirming'; intent: Intent; txHash: string | null; isRequesting: boolean }
  /** `signs`: nothing is paid until a signature has reached the service. */
  | { name: 'leaving'; intent: Intent; sent: boolean; signs: boolean }
  | {
      name: 'paid'
      intent: Intent
      openedPaid: boolean
      txHash: string | null
      isRequesting: boolean
    }
  | {
      name: 'expired' | 'canceled'
      intent: Intent
      lastPayment: LastPayment
      txHash: string | null
    }

/** The screen for a state. The service takes precedence over the wallet. */
export function screen(state: CheckoutState): Screen {
  const { intent, requests, unpayable } = state
  if (unpayable) return { name: unpayable }
  if (!intent) return { name: 'loading' }
  const txHash = paymentHash(state)
  const isRequesting = requests.some((request) => !hasResponse(request))
  switch (intent.status) {
    case 'succeeded':
      if (isReorged(intent))
        return { name: 'sent', intent, source: 'reorged', txHash, isRequesting }
      return { name: 'paid', intent, openedPaid: state.openedPaid, txHash, isRequesting }
    case 'expired':
    case 'canceled': {
      const sent =
        intent.amount_received_units > 0 ||
        requests.some(hasResponse) ||
        isRelayed(intent) ||
        findNearMiss(state, intent)?.isPayers === true
      const lastPayment = sent || txHash ? 'sent' : isRequesting ? 'requested' : 'unknown'
      return { name: intent.status, intent, lastPayment, txHash }
    }
    case 'pending_confirmations':
      if (state.leaving) return { name: 'leaving', intent, sent: true, signs: false }
      return { name: 'confirming', intent, txHash, isRequesting }
    case 'requires_payment':
      return unpaid(state, intent, isRequesting)
    default:
      // A status that a later service adds: request no money.
      return { name: 'loading' }
  }
}

function unpaid(state: CheckoutState, intent: Intent, isRequesting: boolean): Screen {
  const { requests, leaving } = state
  const relayed = isRelayed(intent)
  const attempt = relayed ? null : state.attempt
  const unresolved = unresolvedRequests(state)
  const blocks = blockers(state)
  if (attempt?.step === 'failed') {
    const { wallet, problem } = attempt
    // Without a signature, the same account could pay a second time.
    const mayStillPay = (problem.needsFee ? unresolved : blocks).length > 0
    return { name: 'problem', intent, wallet, problem, mayStillPay }
  }
  const request =
    // A sent payment takes precedence over an open wallet request.
    requests
      .filter((candidate) => hasResponse(candidate) && blocks.includes(candidate.id))
      .at(-1) ?? requests.filter(({ id }) => unresolved.includes(id)).at(-1)
  const source: SentSource | null = relayed
    ? 'relayed'
    : unresolved.includes('reorged')
      ? 'reorged'
      : request
        ? sourceOf(request, state.abandonedSignatures)
        : null
  const order = requestOf(state)?.sentWith?.order ?? null
  if (leaving && (attempt || unresolved.length > 0)) {
    const signs = /^(signed|other_tab|interrupted)$/.test(source ?? '') || !!order?.authorization
    return { name: 'leaving', intent, sent: source !== null && !attempt && !signs, signs }
  }
  if (attempt) {
    const { wallet, step } = attempt
    return { name: 'wallet', intent, wallet, step, order }
  }
  if (source) {
    // For an underpaid intent, `tx_hash` belongs to the first part.
    const sent = request ? request.txHash : intent.tx_hash
    const txHash = relayed ? (intent.authorization?.tx_hash ?? null) : sent
    return { name: 'sent', intent, source, txHash, isRequesting }
  }
  if (request) return { name: 'requested', intent, wallet: request.sentWith?.wallet ?? null }
  const nearMissScreen = findNearMiss(state, intent)
  if (nearMissScreen) return nearMissScreen
  const availableMethods = methodsOf(state, intent)
  const paymentMethod = selectedMethod(state, intent, availableMethods)
  const qr = qrOf(state, intent)
  const isManual = paymentMethod === 'qr' && qr.content !== 'link'
  const units = (isManual ? manualDue(intent) : null) ?? priceDue(intent)
  const pays = requests.some((candidate) => !isUnsigned(candidate))
  const openRequest = pays ? 'payment' : requests[0] ? 'signature' : 'none'
  return { name: 'pay', intent, availableMethods, paymentMethod, qr, units, openRequest }
}

/** Whether the payer has chosen to pay by hand, and no request to reserve an amount has been sent. */
export function needsAmount(state: CheckoutState): boolean {
  const shown = screen(state)
  return (
    shown.name === 'pay' &&
    shown.paymentMethod === 'qr' &&
    shown.qr.content !== 'link' &&
    shown.qr.isChosen &&
    shown.intent.manual_available &&
    !state.hasReserved
  )
}

/** The request that the attempt waits for. */
function requestOf({ attempt, requests }: CheckoutState): PendingRequest | undefined {
  if (attempt?.step !== 'confirming') return undefined
  return requests.find(({ id }) => id === attempt.requestId)
}

/** The newest near miss that the payer has confirmed, else the newest without a statement of the payer. */
function findNearMiss(
  { nearMissOwners }: CheckoutState,
  intent: Intent,
): (Screen & { name: 'near_miss' }) | null {
  const newest = (owner: 'mine' | undefined) =>
    intent.near_misses.find(({ tx_hash }) => nearMissOwners[tx_hash] === owner)
  const mine = newest('mine')
  const miss = mine ?? newest(undefined)
  if (!miss) return null
  const { tx_hash: txHash, amount_units } = miss
  return {
    name: 'near_miss',
    intent,
    units: BigInt(amount_units),
    txHash,
    isPayers: mine !== undefined,
  }
}

function qrOf({ paymentMethod, qrContent, handoff, onPhone }: CheckoutState, { lane }: Intent) {
  // A phone cannot scan its own screen. The choice is there before the link, so that the screen does not change when it arrives.
  const contents: readonly QrContent[] =
    onPhone || handoff === null ? ['request', 'address'] : ['link', 'request', 'address']
  const [first = 'request'] = lane === 'manual' ? [] : contents
  const content = qrContent && contents.includes(qrContent) ? qrContent : first
  return { contents, content, isChosen: paymentMethod === 'qr' || content === qrContent }
}

function sourceOf(
  { id, result, sentWith, authorization }: PendingRequest,
  abandonedSignatures: readonly string[],
): SentSource | null {
  if (result === 'none') return null
  if (!sentWith && result === 'signed')
    return abandonedSignatures.includes(id) ? 'interrupted' : 'other_tab'
  if (!sentWith) return 'resumed'
  return authorization && result === 'sent' ? 'relayed' : result
}

function hasResponse({ result }: PendingRequest): boolean {
  return result !== 'none'
}

/** The methods to offer; includes a hidden QR code if nothing else can pay. */
function methodsOf(state: CheckoutState, intent: Intent): readonly CheckoutPaymentMethod[] {
  const { wallets, onPhone, handoff, methodOrder } = state
  if (!intent.manual && !intent.manual_available) return ['wallets']
  const isOnly = wallets.length === 0 && !(onPhone && handoff !== null)
  if (!methodOrder) return ['wallets', 'qr']
  return isOnly && !methodOrder.includes('qr') ? [...methodOrder, 'qr'] : methodOrder
}

function selectedMethod(
  state: CheckoutState,
  intent: Intent,
  availableMethods: readonly CheckoutPaymentMethod[],
): CheckoutPaymentMethod {
  if (state.paymentMethod && availableMethods.includes(state.paymentMethod))
    return state.paymentMethod
  const scans = state.wallets.length === 0 && !state.onPhone
  if (scans && availableMethods.includes('qr')) return 'qr'
  return (
    (!state.methodOrder && intent.lane === 'manual' && availableMethods[1]) ||
    (availableMethods[0] ?? 'wallets')
  )
}

/** Hash of the paying transaction: from the service, else from a wallet. */
export function paymentHash({ intent, requests }: CheckoutState): string | null {
  return intent?.tx_hash ?? requests.filter(({ txHash }) => txHash).at(-1)?.txHash ?? null
}

/**
 * The response when the payer closes: `warn` shows that the payment goes on; `ignore` keeps a stray Esc or tap from closing the checkout
 * while the wallet prompts.
 */
export function closeResponse(
  state: CheckoutState,
  by: 'button' | 'gesture',
): 'close' | 'warn' | 'ignore' {
  const shown = screen(state)
  const { name } = shown
  if (name === 'wallet') return by === 'button' ? 'warn' : 'ignore'
  if (name === 'leaving' && !shown.sent && by === 'gesture') return 'ignore'
  return name === 'requested' || name === 'sent' || name === 'confirming' ? 'warn' : 'close'
}

/** Distinguishes the screens of one name. */
export function screenDetail(shown: Screen): string {
  switch (shown.name) {
    case 'pay':
      return shown.paymentMethod
    case 'near_miss':
      return shown.isPayers ? 'mine' : 'unclaimed'
    case 'wallet':
      return shown.step
    case 'problem':
      return problemDetail(shown.problem)
    case 'sent':
      return shown.source
    case 'expired':
    case 'canceled':
      return shown.lastPayment
    default:
      return ''
  }
}

/** Distinguishes problems of one code that have different messages. */
export function problemDetail({
  code,
  otherTab,
  recipient,
  foreseen,
  needsFee,
  account,
}: Problem): string {
  if (needsFee) return 'needs_fee'
  if (account) return 'other_account'
  if (otherTab) return 'other_tab'
  if (recipient) return 'recipient_blocked'
  return foreseen ? 'tx_would_revert' : code
}
