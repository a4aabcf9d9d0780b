import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiKey, changeAccount, type NewApiKey, readAccount } from '../../api/account.ts'
import { currentMode } from '../../api/mode.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { Form, textOf } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { SecretOnce } from '../../parts/SecretOnce.tsx'
import { Section } from '../../parts/Section.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'
import { developerTabs } from './tabs.tsx'

const words = texts.developers.apiKeys

/** The API keys of a merchant. Owners create, roll and revoke them. */
export function ApiKeys() {
  const keys = useQuery({ queryKey: ['apiKeys'], queryFn: () => readAccount('/account/api_keys') })
  const [made, setMade] = useState<NewApiKey | null>(null)
  const [isCreating, setCreating] = useState(false)
  const client = useQueryClient()
  const show = (key: NewApiKey) => {
    setMade(key)
    setCreating(false)
    void client.invalidateQueries({ queryKey: ['apiKeys'] })
  }
  return (
    <Page title={texts.developers.title}>
      {developerTabs}
      {made && <SecretOnce secret={made.key} name={words.made} hint={words.hint} />}
      <Section
        title={texts.developers.keys}
        actions={
          <button type="button" onClick={() => setCreating(!isCreating)} aria-expanded={isCreating}>
            {words.create}
          </button>
        }
      >
        {isCreating && <NewKey onDone={show} onCancel={() => setCreating(false)} />}
        <Loaded query={keys}>
          {({ data }) => (
            <ul className="stack">
              {data.map((key) => (
                <Key key={key.id} apiKey={key} onRolled={show} />
              ))}
              {data.length === 0 && <li className="muted">{words.empty}</li>}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}

function NewKey(props: { onDone: (key: NewApiKey) => void; onCancel: () => void }) {
  return (
    <Form
      {...props}
      action={words.create}
      onSubmit={(fields) =>
        changeAccount<NewApiKey>('POST', '/account/api_keys', {
          mode: currentMode(),
          label: textOf(fields, 'label'),
          scope: textOf(fields, 'scope'),
        })
      }
    >
      <label>
        {words.label}
        <input name="label" maxLength={200} placeholder={words.labelHint} />
      </label>
      <label>
        {words.scope}
        <select name="scope">
          <option value="full">{words.scopes.full}</option>
          <option value="read_only">{words.scopes.read_only}</option>
        </select>
      </label>
    </Form>
  )
}

function Key({ apiKey, onRolled }: { apiKey: ApiKey; onRolled: (key: NewApiKey) => void }) {
  const [open, setOpen] = useState<'roll' | 'revoke' | null>(null)
  const client = useQueryClient()
  const { id, label, hint, scope, created_at, last_used_at, revoked_at } = apiKey
  const isOver = revoked_at !== null && Date.parse(revoked_at) <= Date.now()
  return (
    <li className="row page-head">
      <span>
        <strong>{label || words.unnamed}</strong> <code>{hint}</code>{' '}
        <span className="badge">{words.scopes[scope]}</span>
        <br />
        <span className="muted">
          {words.created} <Time at={created_at} to="day" />,{' '}
          {last_used_at ? (
            <>
              {words.lastUsed} <Time at={last_used_at} />
            </>
          ) : (
            words.neverUsed
          )}
          {revoked_at && (
            <>
              , {isOver ? words.revoked : words.ends} <Time at={revoked_at} />
            </>
          )}
        </span>
      </span>
      {!isOver && (
        <span className="row">
          <button type="button" onClick={() => setOpen('roll')}>
            {words.roll}
          </button>
          <button type="button" className="danger" onClick={() => setOpen('revoke')}>
            {words.revoke}
          </button>
        </span>
      )}
      {open === 'roll' && (
        <ConfirmDialog
          title={words.roll}
          action={words.roll}
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            const body = { expires_in_hours: 24 }
            onRolled(await changeAccount<NewApiKey>('POST', `/account/api_keys/${id}/roll`, body))
          }}
        >
          <p>{words.rollText}</p>
        </ConfirmDialog>
      )}
      {open === 'revoke' && (
        <ConfirmDialog
          title={words.revoke}
          action={words.revoke}
          isDangerous
          onClose={() => setOpen(null)}
          onConfirm={async () => {
            await changeAccount('DELETE', `/account/api_keys/${id}`)
            await client.invalidateQueries({ queryKey: ['apiKeys'] })
          }}
        >
          <p>{words.revokeText}</p>
        </ConfirmDialog>
      )}
    </li>
  )
}
