import type { Summary } from '@payment-intents/contract'
import { formatUnits } from '../../parts/values/Amount.tsx'
import { texts } from '../../texts.ts'

type Series = NonNullable<Summary['series']>

const height = 160
/** The width of a bar and its gap, in the SVG's units. */
const step = 10

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const hour = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Draws a bar for each hour or day. Screen readers get the same figures as a table. */
export function Chart({ series, interval }: { series: Series; interval: 'hour' | 'day' }) {
  const most = Math.max(1, ...series.map(({ received_units }) => received_units))
  const nameOf = (from: string) => (interval === 'hour' ? hour : day).format(new Date(from))
  const [first] = series
  const last = series.at(-1)
  return (
    <figure className="chart">
      <svg
        viewBox={`0 0 ${Math.max(1, series.length) * step} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {series.map(({ from, received_units: units }, index) => {
          const size = (units / most) * (height - 4)
          return (
            <rect
              key={from}
              x={index * step + 1}
              y={height - size}
              width={step - 2}
              height={size}
              rx={1}
            >
              <title>{`${nameOf(from)}: ${formatUnits(units)} USDC`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className="row page-head muted">
        <span>{first && nameOf(first.from)}</span>
        <span>{texts.overview.most(formatUnits(most === 1 ? 0 : most))}</span>
        <span>{last && nameOf(last.from)}</span>
      </figcaption>
      <table className="unseen">
        <caption>{texts.overview.received}</caption>
        <tbody>
          {series.map(({ from, received_units: units }) => (
            <tr key={from}>
              <th scope="row">{nameOf(from)}</th>
              <td>{formatUnits(units)} USDC</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
