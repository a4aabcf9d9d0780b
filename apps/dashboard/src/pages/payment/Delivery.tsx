import type { TimelineEntry, WebhookAttempt } from '@payment-intents/contract'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { create, read } from '../../api/api.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Response } from '../../parts/Response.tsx'
import { Status } from '../../parts/values/Status.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'
import { isDue } from './paymentQueries.ts'

const words = texts.timeline
export type DeliveryEntry = Extract<TimelineEntry, { type: 'delivery' }>

/** The delivery of an event to an endpoint, with its attempts. A failed delivery is open from the start. */
export function Delivery({ entry }: { entry: DeliveryEntry }) {
  const { event, webhook_endpoint, status, next_attempt_at: next } = entry
  const [isOpen, setOpen] = useState(status !== 'succeeded')
  const canManage = useRole('support')
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => create('/v1/events/{id}/redeliver', { id: event, webhook_endpoint }),
    // The timeline shows the delivery as due, and is polled until it is sent.
    onSuccess: () => client.invalidateQueries({ queryKey: ['timeline'] }),
  })
  const isQueued = resend.isPending || isDue(entry)
  return (
    <>
      <p className="what">
        <span>
          {words.delivery} <Status value={status} />
        </span>
        {canManage && (
          <button
            type="button"
            className="plain"
            disabled={isQueued}
            onClick={() => resend.mutate()}
          >
            {isQueued ? words.queued : words.resend}
          </button>
        )}
      </p>
      {next && !isQueued && (
        <p className="muted">
          {words.nextAttempt} <Time at={next} />
        </p>
      )}
      {resend.error && <Failure error={resend.error} />}
      {resend.data?.deliveries === 0 && (
        <p className="note warn" role="alert">
          {words.notQueued}
        </p>
      )}
      <button
        type="button"
        className="plain attempts"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? words.hideAttempts : words.showAttempts}
      </button>
      {isOpen && <Attempts entry={entry} />}
    </>
  )
}

function Attempts({ entry }: { entry: DeliveryEntry }) {
  const { event, webhook_endpoint: id, time, status } = entry
  const { data, error } = useQuery({
    queryKey: ['attempts', id, event, time, status],
    queryFn: ({ signal }) => read('/v1/webhook_endpoints/{id}/attempts', { id, event }, signal),
    placeholderData: keepPreviousData,
  })
  if (error) return <Failure error={error} />
  return (
    <ol className="attempts">
      {data?.data.map((attempt: WebhookAttempt) => (
        <li key={attempt.id}>
          <Response attempt={attempt} /> <Time at={attempt.created_at} to="second" />
        </li>
      ))}
    </ol>
  )
}
