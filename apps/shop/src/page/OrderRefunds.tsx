import { useState } from 'react'
import type { OrderRefund } from '../db/refunds.ts'
import { formatUsdc } from '../formatUsdc.ts'
import type { DescribedOrder } from '../http/describeOrder.ts'
import { Moment } from './Moment.tsx'
import { RefundForm } from './RefundForm.tsx'
import { problemOf, send } from './sendRefund.ts'
import { usePolled } from './usePolled.ts'

const states: Record<string, string> = {
  requires_destination: 'Waits for the buyer’s address',
  requires_confirmation: 'Waits for you to confirm the address',
  requires_signature: 'Waits for the signature of the shop’s wallet',
  pending: 'On its way',
  succeeded: 'Refunded',
  canceled: 'Cancelled',
}

/** For the merchant: the refunds of an order, and a form for the next refund. */
export function OrderRefunds({ order }: { order: DescribedOrder }) {
  const { refunds, can_refund } = order
  if (refunds.length === 0 && !can_refund) return null
  return (
    <section className="refunds" aria-labelledby="refunds">
      <h2 id="refunds">
        Refund <span className="tag">For the merchant</span>
      </h2>
      {refunds.length > 0 && (
        <ul>
          {refunds.map((refund) => (
            <Refund key={refund.id} refund={refund} />
          ))}
        </ul>
      )}
      {can_refund && <RefundForm key={refunds.length} order={order} />}
    </section>
  )
}

function Refund({ refund }: { refund: OrderRefund }) {
  const { status, destination } = refund
  return (
    <li className="refund" data-refund-status={status}>
      <p className="line">
        <strong className="price">{formatUsdc(refund.amount_units)}</strong>
        <Moment at={refund.created_at} />
      </p>
      <p role="status">{states[status] ?? status}</p>
      {destination && <Fact name="To">{destination}</Fact>}
      {refund.tx_hash && <Fact name="Transaction">{refund.tx_hash}</Fact>}
      {status === 'requires_destination' && <BuyersLink refund={refund} />}
      {status === 'requires_confirmation' && destination && (
        <Confirmation refund={refund} destination={destination} />
      )}
    </li>
  )
}

function BuyersLink({ refund: { id, order_id } }: { refund: OrderRefund }) {
  const response = usePolled<{ page: string }>(
    `/api/orders/${order_id}/refunds/${id}/link`,
    () => true,
  )
  const [isCopied, setCopied] = useState(false)
  if (typeof response === 'string') return null
  return (
    <>
      <p>Send this link to the buyer, who names the address there:</p>
      <p className="code">
        <a href={response.page}>{response.page}</a>
      </p>
      <button
        type="button"
        className="button quiet"
        onClick={() => navigator.clipboard.writeText(response.page).then(() => setCopied(true))}
      >
        {isCopied ? 'Copied' : 'Copy the link'}
      </button>
    </>
  )
}

/** Confirms an address that somebody with the link has named without proof. */
function Confirmation(props: { refund: OrderRefund; destination: string }) {
  const { refund, destination } = props
  const [state, setState] = useState<string>('open')
  async function confirm(): Promise<void> {
    setState('sent')
    const path = `/api/orders/${refund.order_id}/refunds/${refund.id}/confirm`
    const sent = await send(path, { destination })
    // Until its webhook arrives, nothing can be pressed.
    if (sent !== 'ok') setState(sent)
  }
  const isSent = state === 'sent'
  return (
    <>
      <p>
        Ask the buyer by another way whether this is their address. What is sent to a wrong one is
        lost.
      </p>
      <button type="button" className="button" disabled={isSent} onClick={confirm}>
        {isSent ? 'Confirming…' : 'Confirm'}
      </button>
      <p className="problem" role="alert">
        {state !== 'open' && !isSent && problemOf(state)}
      </p>
    </>
  )
}

function Fact(props: { name: string; children: string }) {
  return (
    <p className="code">
      <span>{props.name}</span> {props.children}
    </p>
  )
}
