import { useQuery, useQueryClient } from '@tanstack/react-query'
import { changeAccount, readAccount } from '../../api/account.ts'
import { Form, textOf } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { RemoveButton } from '../../parts/RemoveButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { addPasskey } from '../../session/passkey.ts'
import { texts } from '../../texts.ts'
import { settingsTabs } from './tabs.tsx'

const words = texts.settings.security

/** The page of a person's passkeys and sessions. */
export function Security() {
  return (
    <Page title={texts.settings.title}>
      {settingsTabs}
      <Passkeys />
      <Sessions />
    </Page>
  )
}

function Passkeys() {
  const queryKey = ['passkeys']
  const passkeys = useQuery({ queryKey, queryFn: () => readAccount('/account/passkeys') })
  const client = useQueryClient()
  const reload = async () => {
    await client.invalidateQueries({ queryKey })
    await client.invalidateQueries({ queryKey: ['session'] })
  }
  return (
    <Section title={words.passkeys}>
      <p className="muted">{words.passkeysText}</p>
      <Loaded query={passkeys}>
        {({ data }) => (
          <ul className="stack">
            {data.map(({ id, label, created_at }) => (
              <li key={id} className="row page-head">
                <span>
                  <strong>{label}</strong>{' '}
                  <span className="muted">
                    {words.added} <Time at={created_at} to="day" />
                  </span>
                </span>
                <RemoveButton
                  title={words.removePasskey}
                  text={words.removePasskeyText(label)}
                  onRemove={async () => {
                    await changeAccount('DELETE', `/account/passkeys/${encodeURIComponent(id)}`)
                    await reload()
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Form
        action={words.addPasskey}
        isEmptied
        onSubmit={(fields) => addPasskey(textOf(fields, 'label'))}
        onDone={() => void reload()}
      >
        <label>
          {words.label}
          <input name="label" required maxLength={200} placeholder={words.labelHint} />
        </label>
      </Form>
    </Section>
  )
}

function Sessions() {
  const queryKey = ['sessions']
  const sessions = useQuery({ queryKey, queryFn: () => readAccount('/account/sessions') })
  const client = useQueryClient()
  return (
    <Section title={words.sessions}>
      <Loaded query={sessions}>
        {({ data }) => (
          <ul className="stack">
            {data.map((session) => (
              <li key={session.id} className="row page-head">
                <span>
                  <strong>
                    <Foreign text={session.person.name} />
                  </strong>{' '}
                  {session.is_current && <span className="badge good">{words.current}</span>}
                  <br />
                  <span className="muted">
                    <Foreign text={session.user_agent.slice(0, 120)} />, {words.lastUsed}{' '}
                    <Time at={session.last_used_at} />
                  </span>
                </span>
                {!session.is_current && (
                  <RemoveButton
                    title={words.endSession}
                    text={words.endSessionText}
                    action={words.endSession}
                    onRemove={async () => {
                      await changeAccount('DELETE', `/account/sessions/${session.id}`)
                      await client.invalidateQueries({ queryKey })
                    }}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}
