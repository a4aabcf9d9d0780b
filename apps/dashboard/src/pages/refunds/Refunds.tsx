import type { ListedRefund } from '@payment-intents/contract'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { read } from '../../api/api.ts'
import { Page } from '../../parts/Page.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { rowsQuery, useRows } from '../../parts/useRows.ts'
import { Amount } from '../../parts/values/Amount.tsx'
import { Copied, shorten } from '../../parts/values/Copied.tsx'
import { Status } from '../../parts/values/Status.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'
import { refundStatuses } from './filters.ts'

const words = texts.refunds
const route = getRouteApi('/refunds')

export function Refunds() {
  const { status } = route.useSearch()
  const navigate = useNavigate()
  const list = useRows(
    rowsQuery(['refunds', 'list', status], (place, signal) =>
      read(
        '/v1/refunds',
        {
          ...place,
          ...(status ? { status } : {}),
        },
        signal,
      ),
    ),
  )
  return (
    <Page title={words.title}>
      <div className="row">
        <select
          className="narrow"
          aria-label={words.columns.status}
          value={status ?? ''}
          onChange={({ target }) => {
            const chosen = refundStatuses.find((each) => each === target.value)
            void navigate({ to: '/refunds', search: chosen ? { status: chosen } : {} })
          }}
        >
          <option value="">{texts.payments.anyStatus}</option>
          {refundStatuses.map((each) => (
            <option key={each} value={each}>
              {texts.statuses[each]}
            </option>
          ))}
        </select>
      </div>
      <Table caption={words.title} columns={columns} list={list} empty={words.empty} />
    </Page>
  )
}

const columns: readonly Column<ListedRefund>[] = [
  {
    name: words.columns.refund,
    cell: ({ id }) => (
      <Link to="/refunds/$id" params={{ id }}>
        {shorten(id)}
      </Link>
    ),
  },
  {
    name: words.columns.amount,
    isNumber: true,
    cell: (refund) => <Amount units={refund.amount_units} token={refund} />,
  },
  { name: words.columns.status, cell: ({ status }) => <Status value={status} /> },
  {
    name: words.columns.destination,
    cell: ({ destination }) =>
      destination ? <Copied short text={destination} name={words.columns.destination} /> : '–',
  },
  { name: words.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
