import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { Failure } from '../../parts/Failure.tsx'
import { Table } from '../../parts/Table.tsx'
import { texts } from '../../texts.ts'
import { Unmatched } from '../needsYou/Unmatched.tsx'
import { paymentColumns } from './columns.tsx'
import { searchByText } from './searchByText.ts'

/** The results of a search. A single result opens at once. */
export function SearchResults({ text }: { text: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['search', text],
    queryFn: ({ signal }) => searchByText(text, signal),
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <p role="status">{texts.loading}</p>
  const { payments, unmatched, refunds, searched } = data
  const of = [
    ...new Set([
      ...payments.map(({ id }) => id),
      ...refunds.flatMap(({ payment_intent: id }) => id ?? []),
    ]),
  ]
  const [only, another] = of
  if (only && another === undefined && unmatched.length === 0) {
    return <Navigate to="/payments/$id" params={{ id: only }} replace />
  }
  if (payments.length === 0 && unmatched.length === 0) {
    return <p className="card">{texts.payments.notFound(text, searched)}</p>
  }
  return (
    <>
      {payments.length > 0 && (
        <Table
          caption={texts.payments.title}
          columns={paymentColumns}
          list={fixed(payments)}
          empty={null}
        />
      )}
      {unmatched.length > 0 && (
        <section className="stack">
          <h2>{texts.payments.unmatched}</h2>
          <ul className="stack">
            {unmatched.map((transfer) => (
              <li key={transfer.id} className="card stack">
                <Unmatched transfer={transfer} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** A list that has been read to its end. */
function fixed<Item>(rows: readonly Item[]) {
  const nothing = () => {}
  return { rows, error: null, isPending: false, hasMore: false, retry: nothing, readMore: nothing }
}
