import { exportCsvSchema, exportedCsvSchema } from '../schemas/lists.ts'
import { limits } from '../schemas/paymentIntent.ts'
import type { Endpoint } from './endpoint.ts'

/** Endpoints of exports. */
export const exportEndpoints = {
  exportCsv: {
    method: 'GET',
    path: '/v1/export',
    auth: 'api_key',
    query: exportCsvSchema,
    response: exportedCsvSchema,
    streams: 'text/csv',
    idempotency: 'idempotent',
    summary: 'Export a period as CSV, newest first',
    description: `RFC 4180 with a heading, streamed: an export of any length takes no more memory than a short one. Where a spreadsheet would run a text as a formula, an apostrophe stands before it. A response that ends by itself is whole: the service breaks the connection off if it fails on the way, if the reader takes no bytes for a minute, or if the API key is revoked. At most ${limits.exports.key} exports of an API key and ${limits.exports.merchant} of a merchant are streamed at once by a server process: more are 429 \`rate_limited\`.`,
  },
} as const satisfies Record<string, Endpoint>
