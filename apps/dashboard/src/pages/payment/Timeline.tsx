import type { RetrievedPaymentIntent, TimelineEntry } from '@payment-intents/contract'
import { useQuery } from '@tanstack/react-query'
import { Failure } from '../../parts/Failure.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { texts } from '../../texts.ts'
import { Entry } from './Entry.tsx'
import { timelineQuery } from './paymentQueries.ts'

/** The timeline of a payment, oldest first. */
export function Timeline({ intent }: { intent: RetrievedPaymentIntent }) {
  const { data, error, refetch } = useQuery(timelineQuery(intent.id))
  return (
    <section className="card stack">
      <h2>{texts.payment.timeline}</h2>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      <ol className="timeline">
        {data?.data.map((entry) => (
          <li key={keyOf(entry)} className={toneOf(entry)}>
            <Entry entry={entry} chainId={intent.chain_id} />
            <Time at={entry.time} to="second" />
          </li>
        ))}
      </ol>
      {data?.truncated && <p className="note warn">{texts.payment.truncated}</p>}
    </section>
  )
}

/** The id of the entry's subject, which has a single entry of a type. */
function keyOf(entry: TimelineEntry): string {
  const { type, time } = entry
  if (type === 'event') return entry.event
  if (type === 'transfer') return entry.transfer
  if (type === 'refund') return entry.refund
  if (type === 'delivery') return `${entry.event} ${entry.webhook_endpoint}`
  return 'from' in entry ? `${type} ${time} ${entry.from}` : type
}

function toneOf(entry: TimelineEntry): 'good' | 'bad' | '' {
  if (entry.type === 'event' && entry.event_type.endsWith('.succeeded')) return 'good'
  if (entry.type === 'delivery' && entry.status === 'failed') return 'bad'
  return entry.type === 'transfer' && entry.orphaned ? 'bad' : ''
}
