import { read } from '../../api/api.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Page } from '../../parts/Page.tsx'
import { rowsQuery, useRows } from '../../parts/useRows.ts'
import { texts } from '../../texts.ts'
import { Item } from './Item.tsx'

const words = texts.needsYou

/** The page of items that need a decision. It is normally empty. */
export function NeedsYou() {
  const list = useRows(
    rowsQuery(
      ['attention', 'list'],
      (place, signal) => read('/v1/attention', { ...place }, signal),
      ({ cursor }) => cursor,
    ),
  )
  const { rows, error, isPending, hasMore, retry, readMore } = list
  return (
    <Page title={words.title}>
      {error ? <Failure error={error} onRetry={retry} /> : null}
      {isPending && !error && <p role="status">{texts.loading}</p>}
      {!isPending && rows.length === 0 && <p className="card">{words.empty}</p>}
      <ul className="stack">
        {rows.map((item) => (
          <li key={item.cursor} className="card stack">
            <Item item={item} />
          </li>
        ))}
      </ul>
      {hasMore && (
        <div>
          <button type="button" onClick={readMore}>
            {texts.more}
          </button>
        </div>
      )}
    </Page>
  )
}
