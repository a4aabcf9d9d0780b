import { attentionPageSchema, listAttentionSchema } from '../schemas/lists.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints of objects that need attention. */
export const attentionEndpoints = {
  listAttention: {
    method: 'GET',
    path: '/v1/attention',
    auth: 'api_key',
    query: listAttentionSchema,
    response: attentionPageSchema,
    cursor: 'cursor',
    idempotency: 'idempotent',
    summary: 'List the items that need a decision, newest first',
    description:
      'Unmatched transfers, payment intents that are underpaid, late, overpaid or reversed, refunds that wait, and webhook endpoints that fail. Each stays in the list until somebody deals with it; an empty list is the normal state.',
  },
} as const satisfies Record<string, Endpoint>
