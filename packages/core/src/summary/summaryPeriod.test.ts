import { describe, expect, test } from 'vitest'
import { HttpError } from '../http/httpError.ts'
import { summaryPeriod } from './summaryPeriod.ts'

const starts = (query: Parameters<typeof summaryPeriod>[0]) =>
  summaryPeriod(query).starts.map((start) => new Date(start).toISOString().slice(0, 16))

function refusal(query: Parameters<typeof summaryPeriod>[0]) {
  try {
    summaryPeriod(query)
  } catch (error) {
    if (error instanceof HttpError) return error.details.issues?.[0]
  }
  return undefined
}

describe('the parts of a period', () => {
  test('are its hours, even on a day of 25', () => {
    const query = { from: '2026-10-25T00:00:00+02:00', to: '2026-10-26T00:00:00+01:00' }
    expect(starts({ ...query, interval: 'hour' })).toHaveLength(25)
    expect(starts(query)).toEqual(['2026-10-24T22:00'])
  })

  test.each([
    [
      ['Europe/Berlin', '2026-03-28T00:00:00+01:00', '2026-03-31T00:00:00+02:00'],
      ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00'],
    ],
    [
      ['Europe/Berlin', '2026-10-24T12:00:00+02:00', '2026-10-27T00:00:00+01:00'],
      ['2026-10-24T10:00', '2026-10-24T22:00', '2026-10-25T23:00'],
    ],
    [
      ['Asia/Kolkata', '2026-01-01T00:00:00+05:30', '2026-01-03T00:00:00+05:30'],
      ['2025-12-31T18:30', '2026-01-01T18:30'],
    ],
    // Its clock skips midnight.
    [
      ['America/Santiago', '2026-09-05T00:00:00-04:00', '2026-09-07T00:00:00-03:00'],
      ['2026-09-05T04:00', '2026-09-06T04:00'],
    ],
  ])('are days of %j', ([timeZone, from, to], expected) => {
    const query = { from: from ?? '', to: to ?? '', interval: 'day' as const }
    expect(starts({ ...query, time_zone: timeZone })).toEqual(expected)
  })

  test('of a year are 365 days, the maximum', () => {
    const year = { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }
    expect(starts({ ...year, interval: 'day' })).toHaveLength(365)
    expect(starts({ from: year.from, to: '2026-01-02T00:00:00Z' })).toHaveLength(1)
  })
})

const month = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }

test.each([
  [{ ...month, from: '2026-01-01T00:10:00Z' }, 'from'],
  [{ ...month, from: '2026-01-01T00:00:00.001Z' }, 'from'],
  [{ ...month, to: month.from }, 'to'],
  [{ ...month, to: '2025-12-31T00:00:00Z' }, 'to'],
  [{ ...month, to: '2026-01-31T00:30:00Z' }, 'to'],
  [{ ...month, to: '2027-01-02T02:00:00Z' }, 'to'],
  [{ ...month, to: '2026-02-01T02:00:00Z', interval: 'hour' as const }, 'to'],
  [{ ...month, time_zone: 'UTC' }, 'time_zone'],
  [{ ...month, interval: 'day' as const, time_zone: 'Europe/Atlantis' }, 'time_zone'],
  [{ ...month, interval: 'day' as const, time_zone: 'Asia/Kolkata' }, 'time_zone'],
  // Its clock changes by half an hour.
  [
    {
      from: '2026-04-01T13:00:00Z',
      to: '2026-04-10T13:00:00Z',
      interval: 'day' as const,
      time_zone: 'Australia/Lord_Howe',
    },
    'time_zone',
  ],
])('%j is refused for its %s', (query, path) => {
  expect(refusal(query)).toMatchObject({ path })
})
