import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'
import { texts } from '../texts.ts'
import { Failure } from './Failure.tsx'
import type { Rows } from './useRows.ts'
import './table.css'

export type Column<Item> = {
  readonly name: string
  readonly isNumber?: boolean
  cell(item: Item): ReactNode
}

const rowHeight = 49
/** The number of rows before the end at which the next page is loaded. */
const ahead = 20

/** A list as a table. Rows out of sight are not rendered: a million scroll like a hundred. */
export function Table<Item extends { readonly id: string }>(props: {
  caption: string
  columns: readonly Column<Item>[]
  list: Rows<Item>
  empty: ReactNode
}) {
  const { caption, columns, list, empty } = props
  const { rows, error, isPending, hasMore, retry, readMore } = list
  const body = useRef<HTMLTableSectionElement>(null)
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  const drawn = virtual.getVirtualItems()
  const last = drawn.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - ahead) readMore()
  }, [last, rows.length, readMore])
  if (error && rows.length === 0) return <Failure error={error} onRetry={retry} />
  if (isPending) return <p role="status">{texts.loading}</p>
  if (rows.length === 0) return <div className="card muted">{empty}</div>
  const { scrollMargin } = virtual.options
  const above = (drawn[0]?.start ?? scrollMargin) - scrollMargin
  const below = virtual.getTotalSize() - ((drawn.at(-1)?.end ?? scrollMargin) - scrollMargin)
  return (
    <div className="card table">
      <table aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber ? 'number' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap height={above} />
          {drawn.map(({ index, key }) => {
            const item = rows[index]
            return (
              item && (
                <tr
                  key={key}
                  ref={virtual.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                >
                  {columns.map(({ name, isNumber, cell }) => (
                    <td key={name} data-name={name} className={isNumber ? 'number' : ''}>
                      {cell(item)}
                    </td>
                  ))}
                </tr>
              )
            )
          })}
          <Gap height={below} />
        </tbody>
      </table>
      {error ? <Failure error={error} onRetry={retry} /> : null}
    </div>
  )
}

/** The space of rows that are not rendered. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr className="gap">
      <td style={{ height }} />
    </tr>
  )
}
