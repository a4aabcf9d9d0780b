import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { useRows } from '../../parts/useRows.ts'
import { texts } from '../../texts.ts'
import { paymentColumns } from './columns.tsx'
import { FilterBar } from './FilterBar.tsx'
import { paymentsQuery } from './paymentsQuery.ts'
import { SearchResults } from './SearchResults.tsx'
import './payments.css'

const route = getRouteApi('/payments')

/** The page of payments: the list, or the results of a search. */
export function Payments() {
  const filters = route.useSearch()
  const { q, ...query } = filters
  const list = useRows(paymentsQuery(query))
  return (
    <Page title={texts.payments.title}>
      <FilterBar filters={filters} />
      {q ? (
        <SearchResults text={q} />
      ) : (
        <Table
          caption={texts.payments.title}
          columns={paymentColumns}
          list={list}
          empty={texts.payments.empty}
        />
      )}
    </Page>
  )
}
