import type { Mode } from '@payment-intents/contract'
import type { Queryable } from '../connection/connect.ts'

/** A person, a program with an API key, or the operator at the command line. */
export type AuditActor =
  | { readonly personId: string }
  | { readonly apiKeyId: string }
  | { readonly operator: true }

export type AuditEntry = {
  readonly id: string
  readonly merchantId: string
  /** null: the action concerns both modes. */
  readonly mode: Mode | null
  readonly actor: AuditActor
  /** An `operationId`, or the name of an action of the account. */
  readonly action: string
  readonly subject: string | null
  /** The new values, without secrets. */
  readonly details: Readonly<Record<string, unknown>>
  /** `done`, or the code of an error; null: unknown, since the action runs, was interrupted or failed by a fault. */
  readonly outcome: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
}

export async function insertAuditEntry(db: Queryable, entry: AuditEntry): Promise<void> {
  const { actor } = entry
  await db.query({
    name: 'insert-audit-entry',
    text: `
      insert into audit_log
        (id, merchant_id, mode, person_id, api_key_id, by_operator, action, subject, details, outcome, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11::float8 / 1000))`,
    values: [
      ...[entry.id, entry.merchantId, entry.mode],
      'personId' in actor ? actor.personId : null,
      'apiKeyId' in actor ? actor.apiKeyId : null,
      'operator' in actor ? true : null,
      ...[
        entry.action,
        entry.subject,
        JSON.stringify(entry.details),
        entry.outcome,
        entry.createdAt,
      ],
    ],
  })
}

/** @param result `subject` is the object that the action created; null: the entry keeps its subject */
export async function completeAuditEntry(
  db: Queryable,
  id: string,
  result: { readonly outcome: string; readonly subject: string | null },
): Promise<void> {
  await db.query({
    name: 'complete-audit-entry',
    text: 'update audit_log set outcome = $2, subject = coalesce($3, subject) where id = $1',
    values: [id, result.outcome, result.subject],
  })
}

export type ListedEntry = {
  readonly id: string
  readonly mode: Mode | null
  readonly person: { readonly id: string; readonly name: string } | null
  readonly apiKey: { readonly id: string; readonly hint: string; readonly label: string } | null
  readonly action: string
  readonly subject: string | null
  /** JSON text. */
  readonly details: string
  readonly outcome: string | null
  /** Unix milliseconds. */
  readonly createdAt: number
}

/** Lists a page of a merchant's log, newest first. */
export async function listAuditEntries(
  db: Queryable,
  page: { merchantId: string; before: string | null; limit: number },
): Promise<ListedEntry[]> {
  const { rows } = await db.query<ListedEntry>({
    name: 'list-audit-entries',
    text: `
      select a.id, a.mode, a.action, a.subject, a.details, a.outcome,
        (extract(epoch from a.created_at) * 1000)::float8 as "createdAt",
        case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end as person,
        case when k.id is not null then json_build_object('id', k.id, 'hint', k.hint, 'label', k.label) end
          as "apiKey"
      from (
        select * from audit_log
        where merchant_id = $1 and ($2::text is null or id < $2) order by id desc limit $3
      ) a
        left join people p on p.id = a.person_id
        left join api_keys k on k.id = a.api_key_id
      order by a.id desc`,
    values: [page.merchantId, page.before, page.limit],
  })
  return rows
}
