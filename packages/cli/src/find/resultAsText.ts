import type { RetrievedPaymentIntent, Transfer } from '@payment-intents/contract'
import { timeOf } from '../output/asText.ts'
import { plain } from '../output/plain.ts'
import type { Payment, SearchResult } from './find.ts'
import { explorerPage, type Line, lines, usdc } from './lines.ts'
import { linesAboutRefund, linesOfRefund } from './refundAsText.ts'

/** Formats each result as a few lines. Text from the network cannot move the cursor. */
export function resultAsText(result: SearchResult): string {
  const { searched, payments, unmatched, refunds, hasMore } = result
  if (!hasResults(result)) {
    return `Nothing was found. The search was read as: ${plain(searched.join(', '))}.`
  }
  const more = hasMore ? ['More results exist; these are the newest. Narrow the search.'] : []
  const parts = [
    ...payments.map(linesOfPayment),
    ...unmatched.map((transfer) => linesOfTransfer(transfer, refunds)),
    ...refunds.map(linesOfRefund),
  ]
  return [...parts, ...more].join('\n\n')
}

export function hasResults({ payments, unmatched, refunds }: SearchResult): boolean {
  return payments.length + unmatched.length + refunds.length > 0
}

/** Fields are named as in the HTTP API. */
export function resultAsJson({
  searched,
  payments,
  unmatched,
  refunds,
  hasMore,
}: SearchResult): object {
  return {
    searched,
    payment_intents: payments.map(({ intent, ...others }) => ({ ...intent, ...others })),
    unmatched_transfers: unmatched,
    refunds,
    has_more: hasMore,
  }
}

function linesOfPayment({ intent, transfers, refunds }: Payment): string {
  const { id, status, chain, mode, confirmations, exceptions } = intent
  const order = Object(intent.metadata).order_id
  const named = typeof order === 'string' || typeof order === 'number'
  const received = `${usdc(intent.amount_received_units)} of ${usdc(intent.amount_units)}`
  return lines(
    [id, status, usdc(intent.amount_units), ...(named ? [`order ${order}`] : [])],
    [
      ['created', `${timeOf(intent.created_at)} on ${chain} ${mode}`],
      ['expires', timeOf(intent.expires_at)],
      ...(intent.payment_link === null ? [] : [['link', intent.payment_link] as const]),
      ['by hand', `${usdc(intent.payable_amount_units)} to ${intent.expected_wallet}`],
      [
        'received',
        `${received}, ${confirmations} of ${intent.confirmations_required} confirmations`,
      ],
      ...transfers.flatMap((transfer) => linesAboutTransfer(transfer)),
      ...refunds.flatMap((refund) => linesAboutRefund(refund)),
      ...(exceptions.length > 0 ? [['exceptions', exceptions.join(', ')] as const] : []),
      ['next', nextOf(intent)],
    ],
  )
}

function linesOfTransfer(transfer: Transfer, refunds: SearchResult['refunds']): string {
  const { id, reason, amount_units, to, orphaned } = transfer
  const [suggested] = transfer.suggestions
  const assign = `client.transfers.assign('${id}', { payment_intent: '${suggested?.payment_intent ?? 'pi_…'}' })`
  const refund = `send it back to the payer, client.refunds.create({ transfer: '${id}' })`
  const isRefunded = refunds.some((each) => each.transfer === id && each.status !== 'canceled')
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
          ? 'The chain took the transfer back. Wait for the payer to send it again.'
          : isRefunded
            ? 'The transfer is refunded, see below.'
            : `If you know its payment intent: ${assign}. Else ${refund}.`,
      ],
    ],
  )
}

function linesAboutTransfer(transfer: Transfer): Line[] {
  const { amount_units, from, orphaned } = transfer
  const orphanedNote = orphaned ? ', which the chain took back' : ''
  return [
    [
      'transfer',
      `${usdc(amount_units)} from ${from} at ${timeOf(transfer.block_timestamp)}${orphanedNote}`,
    ],
    ['', explorerPage(transfer)],
  ]
}

/** The merchant's next steps. */
function nextOf(intent: RetrievedPaymentIntent): string {
  const { id, status, exceptions, amount_units: price, amount_received_units: received } = intent
  const accept = `client.paymentIntents.accept('${id}')`
  const refund = `client.refunds.create({ payment_intent: '${id}' })`
  // Refunded, or about to be.
  const back = intent.amount_refunded_units + intent.amount_refunding_units
  const missing = usdc(Math.max(price - received, 0))
  const is = (exception: string) => exceptions.includes(exception)
  if (is('reorged')) return 'The chain took a payment back. Hold the order until it is paid again.'
  if (status === 'succeeded') {
    const surplus = received - price - back
    if ((is('overpaid') || is('multiple')) && surplus > 0) {
      return `The payment has ${usdc(surplus)} too much: send the surplus back to the payer, ${refund} with this amount.`
    }
    return back === 0
      ? 'The payment is complete: nothing is left to do.'
      : 'The payment is complete, and refunded as above.'
  }
  if (status === 'pending_confirmations') return 'Wait for the remaining confirmations.'
  if (status === 'requires_payment') {
    if (received === 0) return 'Nothing has arrived yet. The payer can still pay.'
    return `${missing} is missing. The payer can send it until the payment expires, or ${accept}.`
  }
  if (received > 0 && back >= received) return 'The amount that arrived is refunded, as above.'
  if (received > 0)
    return `Accept the amount that arrived, ${accept}, or send it back to the payer, ${refund}.`
  return 'Nothing arrived. If the payer has paid, search for the transaction; else make a new payment intent.'
}
