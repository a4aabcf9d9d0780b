import type { Event } from '@payment-intents/contract'
import { useState } from 'react'
import { read } from '../../api/api.ts'
import { Page } from '../../parts/Page.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { rowsQuery, useRows } from '../../parts/useRows.ts'
import { writeJson } from '../../parts/values/cleanText.ts'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'
import { developerTabs } from './tabs.tsx'

const words = texts.developers.log

/** The page of the last 30 days' events, newest first. */
export function Events() {
  const list = useRows(
    rowsQuery(['events'], (place, signal) =>
      read('/v1/events', { order: 'desc', ...place }, signal),
    ),
  )
  return (
    <Page title={texts.developers.title}>
      {developerTabs}
      <Table caption={texts.developers.events} columns={columns} list={list} empty={words.empty} />
    </Page>
  )
}

const columns: readonly Column<Event>[] = [
  { name: words.type, cell: (event) => <Details event={event} /> },
  { name: words.object, cell: ({ data }) => <code>{(data.object as { id: string }).id}</code> },
  { name: words.time, cell: ({ created_at }) => <Time at={created_at} to="second" /> },
]

/** An event's type, which opens the event's JSON. */
function Details({ event }: { event: Event }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className="plain"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <code>{event.type}</code>
      </button>
      {isOpen && <pre className="mono">{writeJson(event)}</pre>}
    </>
  )
}
