import type { Transfer } from '@payment-intents/contract'
import { Amount } from '../../parts/Amount.tsx'
import { Copied } from '../../parts/Copied.tsx'
import type { Column } from '../../parts/Table.tsx'
import { Time } from '../../parts/Time.tsx'
import { texts } from '../../texts.ts'

const { columns } = texts.payments

export const transferColumns: readonly Column<Transfer>[] = [
  {
    name: columns.transaction,
    cell: ({ tx_hash }) => <Copied short text={tx_hash} name={columns.transaction} />,
  },
  {
    name: columns.amount,
    isNumber: true,
    cell: ({ amount_units }) => <Amount units={amount_units} />,
  },
  { name: columns.from, cell: ({ from }) => <Copied short text={from} name={columns.from} /> },
  { name: columns.network, cell: ({ chain }) => texts.chains[chain] },
  { name: columns.created, cell: ({ block_timestamp }) => <Time at={block_timestamp} /> },
]
