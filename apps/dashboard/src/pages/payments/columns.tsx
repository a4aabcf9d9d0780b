import type { RetrievedPaymentIntent } from '@payment-intents/contract'
import { Link } from '@tanstack/react-router'
import { Amount } from '../../parts/Amount.tsx'
import { shorten } from '../../parts/Copied.tsx'
import { Status } from '../../parts/Status.tsx'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts.ts'

const { columns } = texts.payments

export const paymentColumns: readonly Column<RetrievedPaymentIntent>[] = [
  {
    name: columns.payment,
    cell: (intent) => (
      <Link to="/payments/$id" params={{ id: intent.id }}>
        {titleOf(intent)}
      </Link>
    ),
  },
  {
    name: columns.amount,
    isNumber: true,
    cell: (intent) => <Amount units={intent.amount_units} token={intent} />,
  },
  {
    name: columns.status,
    cell: ({ status, exceptions }) => (
      <span className="row">
        {[status, ...exceptions].map((value) => (
          <Status key={value} value={value} />
        ))}
      </span>
    ),
  },
  { name: columns.network, cell: ({ chain }) => texts.chains[chain] },
  { name: columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
]

/** Returns the order id, else the description, else the shortened id. */
export function titleOf({ id, metadata }: Pick<RetrievedPaymentIntent, 'id' | 'metadata'>): string {
  const { order_id, description } = metadata
  if (typeof order_id === 'string' || typeof order_id === 'number') return String(order_id)
  return typeof description === 'string' && description ? description : shorten(id)
}
