import { returnOriginPageSchema } from '../schemas/lists.ts'
import {
  createReturnOriginSchema,
  deletedReturnOriginSchema,
  returnOriginSchema,
} from '../schemas/merchant/returnOrigin.ts'
import { settingsSchema, updateSettingsSchema } from '../schemas/merchant/settings.ts'
import { retrieveSummarySchema, summarySchema } from '../schemas/merchant/summary.ts'
import { nothing } from '../schemas/nothing.ts'
import { limits } from '../schemas/paymentIntent.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints of a merchant: summary, settings and return origins. */
export const settingsEndpoints = {
  retrieveSummary: {
    method: 'GET',
    path: '/v1/summary',
    auth: 'api_key',
    query: retrieveSummarySchema,
    response: summarySchema,
    idempotency: 'idempotent',
    summary: 'Retrieve the amounts received and refunded in a period',
    description:
      'Payments and refunds count in the hour in which they succeeded, exact to the unit: the sums are those of the payment intents and refunds by their `succeeded_at`. `created_count`, `opened_count` and `paid_count` are of the payment intents that were created in the period.',
  },
  retrieveSettings: {
    method: 'GET',
    path: '/v1/settings',
    auth: 'api_key',
    response: settingsSchema,
    idempotency: 'idempotent',
    summary: 'Retrieve the settings',
    description: 'The caller’s mode decides which settings `chains` has.',
  },
  updateSettings: {
    method: 'PATCH',
    path: '/v1/settings',
    auth: 'api_key',
    role: 'owner',
    body: updateSettingsSchema,
    bodyBytes: limits.pictureRequestBytes,
    response: settingsSchema,
    errors: ['conflict'],
    idempotency: 'idempotent',
    summary: 'Change settings',
    description:
      'Applies all of a request or nothing. `chains` changes the settings of the caller’s mode, the other fields change both modes. 409 `conflict` with reason `illegal_state` for `match_plain_price` on a chain without a registered wallet.',
  },
  listReturnOrigins: {
    method: 'GET',
    path: '/v1/return_origins',
    auth: 'api_key',
    query: nothing,
    response: returnOriginPageSchema,
    cursor: 'id',
    idempotency: 'idempotent',
    summary: 'List return origins, in alphabetical order',
    description: 'The origins that the pages of the merchant may lead back to, in both modes.',
  },
  createReturnOrigin: {
    method: 'POST',
    path: '/v1/return_origins',
    auth: 'api_key',
    role: 'owner',
    body: createReturnOriginSchema,
    response: returnOriginSchema,
    errors: ['conflict'],
    idempotency: 'idempotent',
    summary: 'Allow a return origin',
    description: `Returns an origin that is allowed already as it is. At most ${limits.returnOrigins}: another origin is a 409 \`conflict\` with reason \`illegal_state\`.`,
  },
  deleteReturnOrigin: {
    method: 'DELETE',
    path: '/v1/return_origins/{id}',
    object: 'return origin',
    auth: 'api_key',
    role: 'owner',
    response: deletedReturnOriginSchema,
    idempotency: 'idempotent',
    summary: 'Disallow a return origin',
    description: 'From then on, payment links whose `return_url` has this origin lead nowhere.',
  },
} as const satisfies Record<string, Endpoint>
