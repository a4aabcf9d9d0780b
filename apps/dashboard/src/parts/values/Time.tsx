const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const second = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const formats = { day, minute, second }

/** A time in the reader's time zone; the title has seconds and the zone. @param at RFC 3339 */
export function Time({ at, to = 'minute' }: { at: string; to?: keyof typeof formats }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={date.toString()}>
      {formats[to].format(date)}
    </time>
  )
}
