import { z } from 'zod'

/** The body of every error response; its type is `ErrorBody`. */
export const errorBodySchema = z.looseObject({
  error: z.string(),
  message: z.string().optional(),
  request_id: z.string().optional(),
  reason: z.string().optional(),
  issues: z.array(z.looseObject({ path: z.string(), message: z.string() })).optional(),
})
