import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Failure } from '../../parts/Failure.tsx'
import { Page } from '../../parts/Page.tsx'
import { writeJson } from '../../parts/values/cleanText.ts'
import { Status } from '../../parts/values/Status.tsx'
import { texts } from '../../texts.ts'
import { Actions } from './Actions.tsx'
import { Facts } from './Facts.tsx'
import { paymentQuery } from './paymentQueries.ts'
import { Timeline } from './Timeline.tsx'
import { titleOf } from './title.ts'
import './payment.css'

const route = getRouteApi('/payments/$id')

/** The page of a payment: its timeline and its actions. */
export function Payment() {
  const { id } = route.useParams()
  const { data: intent, error, refetch } = useQuery(paymentQuery(id))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!intent) return <p role="status">{texts.loading}</p>
  const { status, exceptions, metadata } = intent
  return (
    <Page title={titleOf(intent)} actions={<Actions intent={intent} />}>
      <p className="row">
        {[status, ...exceptions].map((value) => (
          <Status key={value} value={value} />
        ))}
      </p>
      <div className="payment">
        <Timeline intent={intent} />
        <div className="stack">
          <Facts intent={intent} />
          {Object.keys(metadata).length > 0 && (
            <section className="card stack">
              <h2>{texts.payment.metadata}</h2>
              <pre className="mono">{writeJson(metadata)}</pre>
            </section>
          )}
        </div>
      </div>
    </Page>
  )
}
