import type { RetrievedPaymentIntent } from '@payment-intents/contract'
import { Link } from '@tanstack/react-router'
import { Amount } from '../../parts/Amount.tsx'
import { shorten } from '../../parts/Copied.tsx'
import { clean } from '../../parts/clean.ts'
import { Foreign } from '../../parts/Foreign.tsx'
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
        <Foreign text={titleOf(intent)} />
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

const longestTitle = 100

/** Returns the order id, else the description, else the shortened id. */
export function titleOf({ id, metadata }: Pick<RetrievedPaymentIntent, 'id' | 'metadata'>): string {
  const { order_id, description } = metadata
  const texts = [typeof order_id === 'number' ? String(order_id) : order_id, description]
  for (const text of texts) {
    const title = typeof text === 'string' ? clean(text, longestTitle).trim() : ''
    if (title) return title
  }
  return shorten(id)
}
