import type { Role } from '@payment-intents/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeAccount, type Person, readAccount } from '../../api/account.ts'
import { messageOf } from '../../parts/Failure.tsx'
import { Form, textOf, textOrNull } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { RemoveButton } from '../../parts/RemoveButton.tsx'
import { SecretOnce } from '../../parts/SecretOnce.tsx'
import { Section } from '../../parts/Section.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { settingsTabs } from './tabs.tsx'

const words = texts.settings.people
const queryKey = ['people']
const roles: readonly Role[] = ['reader', 'support', 'owner']
type Invited = { person: Person; invitation_url: string }

/** The page of the account's people and their roles. */
export function People() {
  const isOwner = useRole('owner')
  return (
    <Page title={texts.settings.title}>
      {settingsTabs}
      {isOwner ? <ListedPeople /> : <p className="card">{texts.forbidden}</p>}
    </Page>
  )
}

function ListedPeople() {
  const people = useQuery({ queryKey, queryFn: () => readAccount('/account/people') })
  const [link, setLink] = useState<string | null>(null)
  const client = useQueryClient()
  const reload = () => client.invalidateQueries({ queryKey })
  return (
    <>
      {link && <SecretOnce secret={link} name={words.link} hint={words.linkHint} />}
      <Section title={words.title}>
        <Loaded query={people}>
          {({ data }) => (
            <ul className="stack">
              {data.map((person) => (
                <PersonRow key={person.id} person={person} onChange={reload} onLink={setLink} />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      <Section title={words.invite}>
        <Form
          action={words.invite}
          isEmptied
          onSubmit={(fields) =>
            changeAccount<Invited>('POST', '/account/people', {
              name: textOf(fields, 'name'),
              email: textOrNull(fields, 'email'),
              role: textOf(fields, 'role'),
            })
          }
          onDone={(invited) => {
            setLink(invited.invitation_url)
            void reload()
          }}
        >
          <label>
            {words.name}
            <input name="name" required maxLength={200} />
          </label>
          <label>
            {words.email}
            <input type="email" name="email" />
            <small>{words.emailHint}</small>
          </label>
          <label>
            {words.role}
            <select name="role" defaultValue="support">
              {roles.map((role) => (
                <option key={role} value={role}>
                  {words.roles[role]}
                </option>
              ))}
            </select>
          </label>
        </Form>
      </Section>
    </>
  )
}

function PersonRow(props: {
  person: Person
  onChange: () => Promise<unknown>
  onLink: (link: string) => void
}) {
  const { person, onChange, onLink } = props
  const [error, setError] = useState<unknown>(null)
  const { id, name, email, role, has_signed_in: hasSignedIn, last_used_at: lastUsed } = person
  const run = (work: () => Promise<unknown>) => {
    setError(null)
    work().then(onChange, setError)
  }
  return (
    <li className="stack">
      <div className="row page-head">
        <span>
          <strong>{name}</strong> <span className="muted">{email}</span>
          <br />
          <span className="muted">
            {lastUsed ? (
              <>
                {words.lastUsed} <Time at={lastUsed} />
              </>
            ) : (
              words.neverSignedIn
            )}
          </span>
        </span>
        <span className="row">
          <select
            aria-label={words.roleOf(name)}
            value={role}
            onChange={({ target }) =>
              run(() => changeAccount('PATCH', `/account/people/${id}`, { role: target.value }))
            }
          >
            {roles.map((each) => (
              <option key={each} value={each}>
                {words.roles[each]}
              </option>
            ))}
          </select>
          {!hasSignedIn && (
            <button
              type="button"
              onClick={() =>
                run(async () => {
                  const path = `/account/people/${id}/invitation` as const
                  const made = await changeAccount<Invited>('POST', path)
                  onLink(made.invitation_url)
                })
              }
            >
              {words.newLink}
            </button>
          )}
          <RemoveButton
            title={words.remove}
            text={words.removeText(name)}
            onRemove={async () => {
              await changeAccount('DELETE', `/account/people/${id}`)
              await onChange()
            }}
          />
        </span>
      </div>
      {error ? (
        <p className="note bad" role="alert">
          {messageOf(error)}
        </p>
      ) : null}
    </li>
  )
}
