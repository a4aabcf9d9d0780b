import type { Mode } from '@payment-intents/contract'
import { HttpError, withoutSecrets } from '@payment-intents/core'
import {
  type AuditActor,
  completeAuditEntry,
  insertAuditEntry,
  listAuditEntries,
} from '../store/account/auditLog.ts'
import { transaction } from '../store/connection/connect.ts'
import { newId } from '../store/lists/ids.ts'
import { type NewMail, queueMail } from '../store/mails/queueMail.ts'
import { type AccountContext, accountEndpoint } from './accountEndpoint.ts'
import { toRfc3339 } from './fieldFormats.ts'

const pageSize = 50

export const auditLogEndpoints = {
  listAuditLog: accountEndpoint({
    ...{ method: 'GET', path: '/account/audit_log', role: 'owner', needsProof: false },
    async handle({ db }, { merchant, query }) {
      const before = query.get('starting_after')
      const limit = pageSize + 1
      const rows = await listAuditEntries(db.pool, { merchantId: merchant.id, before, limit })
      const data = rows.slice(0, pageSize).map(({ apiKey, details, createdAt, ...entry }) => ({
        ...{ ...entry, api_key: apiKey, details: JSON.parse(details) },
        created_at: toRfc3339(createdAt),
      }))
      return { body: { data, has_more: rows.length > pageSize } }
    },
  }),
}

/** An action with its entry in the audit log. */
export type Audited = {
  readonly merchantId: string
  readonly mode: Mode | null
  readonly actor: AuditActor
  readonly action: string
  readonly subject: string | null
  /** The body of the request. */
  readonly body: unknown
  /** A mail to every owner after the action succeeds. */
  readonly notice?: Pick<NewMail, 'subject' | 'text'>
}

/**
 * Runs an action with an entry in the audit log. The entry is written first: if that fails, the action does not run. An
 * entry without an outcome belongs to an action that was interrupted or failed by a fault, so it may have taken effect.
 */
export async function audited<Result>(
  { db, now, database }: Pick<AccountContext, 'db' | 'now' | 'database'>,
  action: Audited,
  work: () => Promise<Result & { readonly subject?: string }>,
): Promise<Result> {
  const createdAt = now()
  const id = newId('log', createdAt)
  const { body, notice, ...entry } = action
  await insertAuditEntry(db.pool, {
    ...entry,
    id,
    createdAt,
    details: detailsOf(body),
    outcome: null,
  })
  const complete = (outcome: string, subject: string | null) =>
    transaction(db, async (client) => {
      await completeAuditEntry(client, id, { outcome, subject })
      if (notice && outcome === 'done') {
        await queueMail(client, { ...notice, merchantId: entry.merchantId })
      }
    }).catch(database.report)
  try {
    const result = await work()
    await complete('done', result.subject ?? null)
    return result
  } catch (error) {
    const code = error instanceof HttpError ? error.code : 'internal_error'
    if (code !== 'internal_error') await complete(code, null)
    throw error
  }
}

/** The log shows the values of these properties: none holds a secret or a long text. */
const shownProperties = new Set([
  ...['name', 'email', 'role', 'label', 'scope', 'mode', 'expires_in_hours'],
  ...[
    'chain',
    'address',
    'match_plain_price',
    'default_chain',
    'confirmations',
    'accent',
    'contact',
    'support',
    'guide',
    'page',
    'origin',
  ],
  ...['amount_units', 'min_units', 'max_units', 'max_payments', 'expires_at', 'active', 'chains'],
  ...[
    'payment_intent',
    'transfer',
    'destination',
    'reason',
    'tx_hash',
    'enabled_events',
    'disabled',
  ],
])
const shownLength = 200

/** The properties of a request's body. A value that may not be shown is `…`. */
function detailsOf(body: unknown): Record<string, unknown> {
  const entries = Object.entries(Object(body) as Record<string, unknown>).slice(0, 50)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name.slice(0, 50),
      shownProperties.has(name) ? cut(value) : '…',
    ]),
  )
}

function cut(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  const text = withoutSecrets(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}
