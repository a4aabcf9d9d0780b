import type { ListedRefund } from '@payment-intents/contract'
import { timeOf } from '../output/asText.ts'
import { explorerPage, type Line, lines, usdc } from './lines.ts'

/** A refund of an unmatched transfer, by itself. */
export function linesOfRefund(refund: ListedRefund): string {
  const { id, status, amount_units, created_at, chain, mode, transfer } = refund
  return lines(
    [id, status, usdc(amount_units), `refund of ${transfer ?? refund.payment_intent}`],
    [
      ['created', `${timeOf(created_at)} on ${chain} ${mode}`],
      ...destinationOf(refund),
      ...payingTransferOf(refund),
      ...nextOf(refund),
    ],
  )
}

/** A refund below its payment. */
export function linesAboutRefund(refund: ListedRefund): Line[] {
  const { id, status, amount_units, destination } = refund
  const to = destination === null ? '' : ` to ${destination}`
  const { tx_hash } = refund
  return [
    ['refund', `${usdc(amount_units)}${to}, ${id} ${status}`],
    ...(tx_hash === null ? [] : [['', explorerPage({ ...refund, tx_hash })] as const]),
    ...nextOf(refund).map(([, text]) => ['', text] as const),
  ]
}

function destinationOf({ destination, destination_proof }: ListedRefund): Line[] {
  return destination === null ? [] : [['to', `${destination}, by ${destination_proof}`]]
}

function payingTransferOf(refund: ListedRefund): Line[] {
  const { from, from_verified, tx_hash, confirmations, confirmations_required } = refund
  const wallet = from_verified === false ? `${from}, no registered wallet` : from
  return [
    ...(from === null ? [] : [['from', String(wallet)] as const]),
    ...(tx_hash === null
      ? []
      : [
          ['confirmed', `${confirmations} of ${confirmations_required} confirmations`] as const,
          ['', explorerPage({ ...refund, tx_hash })] as const,
        ]),
  ]
}

/** The merchant's next steps; empty if there are none. */
function nextOf({ id, status, tx_hash, destination }: ListedRefund): Line[] {
  const next: Readonly<Record<string, string>> = {
    requires_destination: `Send links.page of the refund to the payer, or client.refunds.update('${id}', { destination: '0x…' }).`,
    requires_confirmation: `Verify the destination with the payer by another way, then client.refunds.confirm('${id}', { destination: '${destination}' }).`,
    requires_signature: `Sign the refund, client.refunds.sign(refund, { signer }), or attach a transfer.`,
    pending:
      tx_hash === null
        ? 'The refund is signed: wait until it is paid, or the signature expires.'
        : 'Wait for the remaining confirmations.',
  }
  const text = next[status]
  return text === undefined ? [] : [['next', text]]
}
