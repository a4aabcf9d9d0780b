import { z } from 'zod'
import { responseObject } from '../responseObject.ts'
import { timeSchema } from '../time.ts'

/** Body of `POST /v1/return_origins`. Unknown properties are refused. */
export const createReturnOriginSchema = z.strictObject({
  origin: z.string().meta({
    description:
      '`https://` and a host, such as `https://shop.example.com`, without a path; `http://` only on localhost, for test mode.',
  }),
})

/** An origin to which the pages of a merchant may return, in both modes. */
export const returnOriginSchema = responseObject({
  id: z.string().meta({ description: '`ro_` and 30 characters.' }),
  origin: z.string().meta({ description: 'Scheme, host and port, as browsers write it.' }),
  created_at: timeSchema,
})

/** Response of `DELETE /v1/return_origins/{id}`. */
export const deletedReturnOriginSchema = responseObject({
  id: z.string(),
  deleted: z.literal(true),
})

export type CreateReturnOrigin = z.input<typeof createReturnOriginSchema>
export type ReturnOrigin = z.output<typeof returnOriginSchema>
export type DeletedReturnOrigin = z.output<typeof deletedReturnOriginSchema>
