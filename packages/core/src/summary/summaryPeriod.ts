import { limits, type RequestOf } from '@payment-intents/contract'
import { invalidBody } from '../http/httpError.ts'
import type { SummaryPeriod } from './store.ts'

const quarterMs = 15 * 60_000
const hourMs = 4 * quarterMs

/**
 * The requested period, in its parts.
 * @throws {HttpError} `invalid_body`
 */
export function summaryPeriod(query: RequestOf<'retrieveSummary'>['query']): SummaryPeriod {
  const { interval, time_zone: timeZone } = query
  const [from, to] = [Date.parse(query.from), Date.parse(query.to)]
  if (from % quarterMs !== 0) {
    throw refused('from', 'must be on a quarter of an hour, as the hours of all time zones are')
  }
  if (to <= from) throw refused('to', 'must be later than `from`')
  if ((to - from) % hourMs !== 0)
    throw refused('to', 'must be a whole number of hours after `from`')
  const maxDays = limits.summaryDays[interval === 'hour' ? 'hourly' : 'total']
  // Allow an extra hour: days are longer where a clock is set back.
  if (to - from > (maxDays * 24 + 1) * hourMs) {
    const hint = interval === 'hour' ? ' with `interval=hour`' : ''
    throw refused('to', `must be at most ${maxDays} days after \`from\`${hint}`)
  }
  if (timeZone !== undefined && interval !== 'day') {
    throw refused('time_zone', 'needs `interval=day`')
  }
  if (!interval) return { from, to, starts: [from] }
  const starts = interval === 'hour' ? hoursOf(from, to) : daysOf(from, to, timeZone ?? 'UTC')
  return { from, to, starts }
}

function hoursOf(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / hourMs }, (_, hour) => from + hour * hourMs)
}

/** `from`, and each later hour at which a date of the time zone starts. */
function daysOf(from: number, to: number, timeZone: string): number[] {
  const dateAt = dateIn(timeZone)
  const starts = [from]
  let date = dateAt(from)
  for (let hour = from + hourMs; hour < to; hour += hourMs) {
    const next = dateAt(hour)
    if (next === date) continue
    if (dateAt(hour - quarterMs) === next) {
      const message = `days begin at another minute there than \`from\`, ${new Date(from).toISOString()}`
      throw refused('time_zone', message)
    }
    starts.push(hour)
    date = next
    // No day is shorter: look again shortly before the next date.
    hour += 21 * hourMs
  }
  return starts
}

/** The date at a time in Unix milliseconds. */
function dateIn(timeZone: string): (time: number) => string {
  try {
    const { format } = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' })
    return format
  } catch {
    throw refused('time_zone', 'is not a time zone of the IANA database, like Europe/Berlin')
  }
}

function refused(path: string, message: string) {
  return invalidBody([{ path, message }])
}
