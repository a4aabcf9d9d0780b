import type { RetrievedPaymentIntent } from '@payment-intents/contract'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../parts/Table.tsx'
import { Amount } from '../../parts/values/Amount.tsx'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { Status } from '../../parts/values/Status.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'
import { titleOf } from '../payment/title.ts'

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
