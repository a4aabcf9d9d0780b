import type { WebhookAttempt, WebhookEndpoint } from '@payment-intents/contract'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { create, read, remove, update } from '../../api/api.ts'
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx'
import { messageOf } from '../../parts/Failure.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { Response } from '../../parts/Response.tsx'
import { SecretOnce } from '../../parts/SecretOnce.tsx'
import { Section } from '../../parts/Section.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { rowsQuery, useRows } from '../../parts/useRows.ts'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { EndpointState } from './EndpointState.tsx'

const words = texts.developers.endpoints
const route = getRouteApi('/developers/webhooks/$id')

/** The page of a webhook endpoint: its state, its actions and its delivery attempts. */
export function Endpoint() {
  const { id } = route.useParams()
  const endpoint = useQuery({
    queryKey: ['webhooks', 'one', id],
    queryFn: () => read('/v1/webhook_endpoints/{id}', { id }),
  })
  const attempts = useRows(
    rowsQuery(['attempts', id], (place, signal) =>
      read('/v1/webhook_endpoints/{id}/attempts', { id, ...place }, signal),
    ),
  )
  return (
    <Loaded query={endpoint}>
      {(loaded) => (
        <Page title={loaded.url}>
          <p className="row">
            <EndpointState endpoint={loaded} />
            {loaded.failing_since && (
              <span>
                {words.since} <Time at={loaded.failing_since} />
              </span>
            )}
            <span className="muted">
              <Foreign text={loaded.description} />
            </span>
          </p>
          <Actions endpoint={loaded} />
          <Section title={words.attempts}>
            <Table
              caption={words.attempts}
              columns={columns}
              list={attempts}
              empty={words.noAttempts}
            />
          </Section>
        </Page>
      )}
    </Loaded>
  )
}

type Dialog = 'rotate' | 'remove' | 'recover'

function Actions({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, status } = endpoint
  const [open, setOpen] = useState<Dialog | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const navigate = useNavigate()
  const client = useQueryClient()
  const reload = async () => {
    await client.invalidateQueries({ queryKey: ['webhooks'] })
    await client.invalidateQueries({ queryKey: ['attempts', id] })
  }
  const test = useMutation({
    mutationFn: () => create('/v1/webhook_endpoints/{id}/test', { id }),
    onSuccess: reload,
  })
  const toggle = useMutation({
    mutationFn: () =>
      update('/v1/webhook_endpoints/{id}', {
        id,
        status: status === 'enabled' ? 'disabled' : 'enabled',
      }),
    onSuccess: reload,
  })
  const isOwner = useRole('owner')
  const failure = test.error ?? toggle.error
  const dayAgo = () => new Date(Date.now() - 24 * 60 * 60 * 1_000).toISOString()
  const confirms = {
    rotate: async () => {
      const made = await create('/v1/webhook_endpoints/{id}/rotate_secret', { id })
      setSecret(made.secret)
    },
    recover: async () => {
      await create('/v1/webhook_endpoints/{id}/recover', { id, since: dayAgo() })
      await reload()
    },
    remove: async () => {
      await remove('/v1/webhook_endpoints/{id}', { id })
      await navigate({ to: '/developers/webhooks' })
      await reload()
    },
  }
  if (!isOwner) return null
  return (
    <>
      <div className="row">
        <button type="button" disabled={test.isPending} onClick={() => test.mutate()}>
          {words.test}
        </button>
        <button type="button" disabled={toggle.isPending} onClick={() => toggle.mutate()}>
          {status === 'enabled' ? words.disable : words.enable}
        </button>
        <button type="button" onClick={() => setOpen('recover')}>
          {words.recover}
        </button>
        <button type="button" onClick={() => setOpen('rotate')}>
          {words.rotate}
        </button>
        <button type="button" className="danger" onClick={() => setOpen('remove')}>
          {words.remove}
        </button>
        <span role="status">{test.isSuccess ? words.testSent : ''}</span>
      </div>
      {failure && (
        <p className="note bad" role="alert">
          {messageOf(failure)}
        </p>
      )}
      {secret && <SecretOnce secret={secret} name={words.secret} hint={words.secretHint} />}
      {open && (
        <ConfirmDialog
          title={words[open]}
          action={words[open]}
          isDangerous={open === 'remove'}
          onConfirm={confirms[open]}
          onClose={() => setOpen(null)}
        >
          <p>{words.texts[open]}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

const columns: readonly Column<WebhookAttempt>[] = [
  { name: words.columns.event, cell: ({ event_type }) => <code>{event_type}</code> },
  {
    name: words.columns.response,
    cell: (attempt) => <Response attempt={attempt} />,
  },
  { name: words.columns.duration, isNumber: true, cell: ({ duration_ms }) => `${duration_ms} ms` },
  { name: words.columns.time, cell: ({ created_at }) => <Time at={created_at} to="second" /> },
]
