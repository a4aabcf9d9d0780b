import {
  chains,
  type RetrievedPaymentIntent,
  type Transfer,
  usdcDecimals,
} from '@payment-intents/contract'
import { decimal, timeOf } from '../output/asText.ts'
import { plain } from '../output/plain.ts'
import type { Found, Payment } from './find.ts'

/** Formats what was found as a few lines each. Text from the network cannot move the cursor. */
export function foundAsText({ searched, payments, unmatched, hasMore }: Found): string {
  if (payments.length + unmatched.length === 0) {
    return `Nothing was found. It was searched as: ${plain(searched.join(', '))}.`
  }
  const more = hasMore ? ['There are more; these are the newest. Search for less.'] : []
  return [...payments.map(linesOfPayment), ...unmatched.map(linesOfTransfer), ...more].join('\n\n')
}

/** Fields are named as in the HTTP API. */
export function foundAsJson({ searched, payments, unmatched, hasMore }: Found): object {
  return {
    searched,
    payment_intents: payments.map(({ intent, transfers }) => ({ ...intent, transfers })),
    unmatched_transfers: unmatched,
    has_more: hasMore,
  }
}

function linesOfPayment({ intent, transfers }: Payment): string {
  const { id, status, chain, mode, confirmations, exceptions } = intent
  const order = Object(intent.metadata).order_id
  const named = typeof order === 'string' || typeof order === 'number'
  const received = `${usdc(intent.amount_received_units)} of ${usdc(intent.amount_units)}`
  return lines(
    [id, status, usdc(intent.amount_units), ...(named ? [`order ${order}`] : [])],
    [
      ['created', `${timeOf(intent.created_at)} on ${chain} ${mode}`],
      ['expires', timeOf(intent.expires_at)],
      ['by hand', `${usdc(intent.payable_amount_units)} to ${intent.expected_wallet}`],
      [
        'received',
        `${received}, ${confirmations} of ${intent.confirmations_required} confirmations`,
      ],
      ...transfers.flatMap((transfer) => linesAboutTransfer(transfer)),
      ...(exceptions.length > 0 ? [['exceptions', exceptions.join(', ')] as const] : []),
      ['next', nextOf(intent)],
    ],
  )
}

function linesOfTransfer(transfer: Transfer): string {
  const { id, reason, amount_units, to, orphaned } = transfer
  const [suggested] = transfer.suggestions
  const assign = `client.transfers.assign('${id}', { payment_intent: '${suggested?.payment_intent ?? 'pi_…'}' })`
  return lines(
    [id, 'unmatched', usdc(amount_units), ...(reason === null ? [] : [reason])],
    [
      ['to', to],
      ...linesAboutTransfer(transfer),
      ...transfer.suggestions.map(
        ({ payment_intent, match }) => ['may be for', `${payment_intent} (${match})`] as const,
      ),
      [
        'next',
        orphaned
          ? 'The chain took it back: it has not happened. Wait for the payer to send it again.'
          : `If you know what it is for: ${assign}. Else send it back to the payer.`,
      ],
    ],
  )
}

type Line = readonly [label: string, text: string]

function linesAboutTransfer(transfer: Transfer): Line[] {
  const { amount_units, chain_id, from, tx_hash, orphaned } = transfer
  const explorer = chains.find(({ chainId }) => chainId === chain_id)?.explorerUrl
  const fate = orphaned ? ', which the chain took back' : ''
  return [
    [
      'transfer',
      `${usdc(amount_units)} from ${from} at ${timeOf(transfer.block_timestamp)}${fate}`,
    ],
    ['', explorer === undefined ? tx_hash : `${explorer}/tx/${tx_hash}`],
  ]
}

function lines(heading: readonly string[], rest: readonly Line[]): string {
  const indented = rest.map(([label, text]) => `  ${label.padEnd(12)}${text}`)
  return [heading.join('  '), ...indented].map(plain).join('\n')
}

/** What the merchant can do. */
function nextOf(intent: RetrievedPaymentIntent): string {
  const { id, status, exceptions, amount_units: price, amount_received_units: received } = intent
  const accept = `client.paymentIntents.accept('${id}')`
  const missing = usdc(Math.max(price - received, 0))
  const is = (exception: string) => exceptions.includes(exception)
  if (is('reorged')) return 'The chain took a payment back. Hold the order until it is paid again.'
  if (status === 'succeeded') {
    if (is('overpaid') || is('multiple')) {
      return `It is paid, with ${usdc(Math.max(received - price, 0))} too much: send that back to the payer.`
    }
    return 'It is paid: nothing is left to do.'
  }
  if (status === 'pending_confirmations') return 'Wait until it has its confirmations.'
  if (status === 'requires_payment') {
    if (received === 0) return 'Nothing has arrived yet. The payer can still pay.'
    return `${missing} is missing. The payer can send it until the payment expires, or ${accept}.`
  }
  if (received > 0) return `Settle it for what arrived, ${accept}, or send that back to the payer.`
  return 'Nothing arrived. If the payer has paid, search for the transaction; else make a new payment intent.'
}

function usdc(units: number): string {
  return `${decimal(units, usdcDecimals)} USDC`
}
