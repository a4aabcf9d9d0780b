import { type AuditEntry, readAccount } from '../../api/account.ts'
import { queryOf } from '../../api/api.ts'
import { Page } from '../../parts/Page.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { rowsQuery, useRows } from '../../parts/useRows.ts'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { settingsTabs } from './tabs.tsx'

const words = texts.settings.log

export function AuditLog() {
  const isOwner = useRole('owner')
  return (
    <Page title={texts.settings.title}>
      {settingsTabs}
      {isOwner ? <Entries /> : <p className="card">{texts.forbidden}</p>}
    </Page>
  )
}

function Entries() {
  const list = useRows(
    rowsQuery(['auditLog'], (place) => readAccount('/account/audit_log', queryOf(place))),
  )
  return <Table caption={texts.settings.tabs.log} columns={columns} list={list} empty={null} />
}

const columns: readonly Column<AuditEntry>[] = [
  {
    name: words.who,
    cell: ({ person, api_key }) =>
      person?.name ?? (api_key ? words.apiKey(api_key.label) : words.operator),
  },
  {
    name: words.what,
    cell: ({ action, subject }) => (
      <>
        <code>{action}</code> <span className="muted">{subject}</span>
      </>
    ),
  },
  { name: words.outcome, cell: ({ outcome }) => outcome ?? words.unknown },
  { name: words.when, cell: ({ created_at }) => <Time at={created_at} to="second" /> },
]
