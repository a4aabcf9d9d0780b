import { z } from 'zod'

/** An ISO 8601 time. The reference server writes `Z`; other servers may write an offset. */
export const timeSchema = z.iso.datetime({ offset: true })
