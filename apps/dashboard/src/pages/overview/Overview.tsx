import type { Summary } from '@payment-intents/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Loaded } from '../../parts/Loaded.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { Amount } from '../../parts/values/Amount.tsx'
import { texts } from '../../texts.ts'
import { Chart } from './Chart.tsx'
import { Checklist } from './Checklist.tsx'
import { Export } from './Export.tsx'
import { periodNames, periodOf } from './periods.ts'
import { summaryQuery } from './summaryQuery.ts'
import './overview.css'

const words = texts.overview
const route = getRouteApi('/')

/** The first page: the totals of a period, and a new merchant's steps. */
export function Overview() {
  const { period: name = 'week' } = route.useSearch()
  const navigate = useNavigate()
  const period = periodOf(name, Date.now())
  const summary = useQuery(summaryQuery(period))
  return (
    <Page
      title={words.title}
      actions={
        <select
          className="narrow"
          aria-label={words.period}
          value={name}
          onChange={({ target }) => {
            const chosen = periodNames.find((each) => each === target.value)
            void navigate({ to: '/', search: chosen ? { period: chosen } : {} })
          }}
        >
          {periodNames.map((each) => (
            <option key={each} value={each}>
              {words.periods[each]}
            </option>
          ))}
        </select>
      }
    >
      <Checklist />
      <Loaded query={summary}>
        {(loaded) => (
          <>
            <Totals summary={loaded} />
            <Section title={words.received}>
              <Chart series={loaded.series ?? []} interval={period.interval} />
            </Section>
            <Methods summary={loaded} />
          </>
        )}
      </Loaded>
      <Export period={period} />
    </Page>
  )
}

function Totals({ summary: { totals } }: { summary: Summary }) {
  const { created_count: created, opened_count: opened, paid_count: paid } = totals
  const percentage = (part: number) =>
    created === 0 ? '–' : `${Math.round((100 * part) / created)} %`
  const seconds = totals.median_seconds_to_paid
  return (
    <dl className="totals">
      <div className="card">
        <dt>{words.received}</dt>
        <dd className="large">
          <Amount units={totals.received_units} />
        </dd>
        <dd className="muted">{words.payments(totals.payments_count)}</dd>
      </div>
      <div className="card">
        <dt>{words.refunded}</dt>
        <dd className="large">
          <Amount units={totals.refunded_units} />
        </dd>
        <dd className="muted">{words.refunds(totals.refunds_count)}</dd>
      </div>
      <div className="card">
        <dt>{words.timeToPaid}</dt>
        <dd className="large">{seconds === null ? '–' : words.duration(seconds)}</dd>
        <dd className="muted">{words.median}</dd>
      </div>
      <div className="card">
        <dt>{words.completion}</dt>
        <dd className="large">{percentage(paid)}</dd>
        <dd className="muted">{words.funnel(created, opened, paid)}</dd>
      </div>
    </dl>
  )
}

function Methods({ summary }: { summary: Summary }) {
  const names: Readonly<Record<string, string>> = words.methods
  if (summary.by.length === 0) return null
  return (
    <Section title={words.by}>
      <table>
        <caption className="unseen">{words.by}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.payments.columns.network}</th>
            <th scope="col">{words.method}</th>
            <th scope="col" className="number">
              {words.received}
            </th>
            <th scope="col" className="number">
              {words.refunded}
            </th>
          </tr>
        </thead>
        <tbody>
          {summary.by.map(({ chain, bound_by: by, received_units, refunded_units }) => (
            <tr key={`${chain} ${by}`}>
              <td>{texts.chains[chain]}</td>
              <td>{by === null ? words.refundsRow : (names[by] ?? by)}</td>
              <td className="number">
                <Amount units={received_units} />
              </td>
              <td className="number">
                <Amount units={refunded_units} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
