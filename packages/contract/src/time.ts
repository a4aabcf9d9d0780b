import { z } from 'zod'

/** An ISO 8601 time. The reference server writes `Z`; another may write the offset of its own zone. */
export const timeSchema = z.iso.datetime({ offset: true })
