import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { create, read } from '../../api/api.ts'
import { Form, textOf } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { SecretOnce } from '../../parts/SecretOnce.tsx'
import { Section } from '../../parts/Section.tsx'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { EndpointState } from './EndpointState.tsx'
import { developerTabs } from './tabs.tsx'

const words = texts.developers.endpoints

export function Webhooks() {
  const endpoints = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: () => read('/v1/webhook_endpoints'),
  })
  const [isCreating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const client = useQueryClient()
  const isOwner = useRole('owner')
  return (
    <Page title={texts.developers.title}>
      {developerTabs}
      {secret && <SecretOnce secret={secret} name={words.secret} hint={words.secretHint} />}
      <Section
        title={texts.developers.webhooks}
        actions={
          isOwner && (
            <button
              type="button"
              onClick={() => setCreating(!isCreating)}
              aria-expanded={isCreating}
            >
              {words.create}
            </button>
          )
        }
      >
        {isCreating && (
          <Form
            action={words.create}
            onCancel={() => setCreating(false)}
            onSubmit={(fields) =>
              create('/v1/webhook_endpoints', {
                url: textOf(fields, 'url'),
                description: textOf(fields, 'description'),
              })
            }
            onDone={(made) => {
              setSecret(made.secret)
              setCreating(false)
              void client.invalidateQueries({ queryKey: ['webhooks'] })
            }}
          >
            <label>
              {words.url}
              <input type="url" name="url" required placeholder={words.urlHint} />
            </label>
            <label>
              {words.description}
              <input name="description" maxLength={500} />
            </label>
          </Form>
        )}
        <Loaded query={endpoints}>
          {({ data }) => (
            <ul className="stack">
              {data.map((endpoint) => (
                <li key={endpoint.id}>
                  <Link to="/developers/webhooks/$id" params={{ id: endpoint.id }}>
                    {endpoint.url}
                  </Link>{' '}
                  <EndpointState endpoint={endpoint} />
                  <br />
                  <span className="muted">
                    <Foreign text={endpoint.description} />{' '}
                    <Time at={endpoint.created_at} to="day" />
                  </span>
                </li>
              ))}
              {data.length === 0 && <li className="muted">{words.empty}</li>}
            </ul>
          )}
        </Loaded>
      </Section>
    </Page>
  )
}
