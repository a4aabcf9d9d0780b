import { z } from 'zod'

const timeRule = 'must be a time with its offset, like 2026-01-31T00:00:00Z'

/** An ISO 8601 time. The reference server writes `Z`; other servers may write an offset. */
export const timeSchema = z.iso.datetime({
  offset: true,
  error: ({ code }) => (code === 'invalid_format' ? timeRule : undefined),
})
