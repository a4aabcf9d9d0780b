import type { Queryable } from '../connection/connect.ts'

/** A mail that only this process may send while its claim lasts. */
export type ClaimedMail = {
  readonly id: string
  readonly merchantId: string
  readonly recipient: string
  readonly subject: string
  readonly text: string
  /** Includes this attempt. */
  readonly attempts: number
  readonly createdAt: Date
}

/** If a process ends while it sends a mail, others may send the mail after this time. */
const claimSeconds = 60
/** Much shorter than the claim. */
export const renewClaimMs = 15_000

/** Claims the mail that has been due for longest. */
export async function claimMail(db: Queryable): Promise<ClaimedMail | null> {
  const { rows } = await db.query<ClaimedMail>({
    name: 'claim-mail',
    text: `
      update mails set attempts = attempts + 1,
        due_at = now() + make_interval(secs => ${claimSeconds})
      where id = (
        select id from mails where due_at <= now() order by due_at limit 1 for update skip locked
      )
      returning id, merchant_id as "merchantId", recipient, subject, text, attempts,
        created_at as "createdAt"`,
  })
  return rows[0] ?? null
}

/** Renews a claim while the mail server responds slowly. */
export async function renewClaim(db: Queryable, { id, attempts }: ClaimedMail): Promise<void> {
  await db.query({
    name: 'renew-mail',
    text: `
      update mails set due_at = now() + make_interval(secs => ${claimSeconds})
      where id = $1 and attempts = $2`,
    values: [id, attempts],
  })
}

/** Deletes a mail that was sent or is not retried. */
export async function deleteMail(db: Queryable, id: string): Promise<void> {
  await db.query({ name: 'delete-mail', text: 'delete from mails where id = $1', values: [id] })
}

/** The time for which a mail is retried. */
const triedFor = `interval '1 day'`

/**
 * Schedules a retry of a mail, or deletes the mail if it is a day old. Does neither if another process has claimed the
 * mail meanwhile.
 */
export async function retryMail(
  db: Queryable,
  { id, attempts }: ClaimedMail,
  waitSeconds: number,
): Promise<'waits' | 'given_up'> {
  const { rows } = await db.query<{ isOver: boolean }>({
    name: 'retry-mail',
    text: `
      with expired as (
        delete from mails where id = $1 and attempts = $2 and created_at <= now() - ${triedFor}
        returning id
      ), waiting as (
        update mails set due_at = now() + make_interval(secs => $3)
        where id = $1 and attempts = $2 and created_at > now() - ${triedFor}
      )
      select exists (select from expired) as "isOver"`,
    values: [id, attempts, waitSeconds],
  })
  return rows[0]?.isOver ? 'given_up' : 'waits'
}

/** Deletes mails that no server sends, since none has `SMTP_URL`. A server with `SMTP_URL` gives mails up earlier. */
export async function deleteOldMails(
  db: Queryable,
  { before, limit }: { before: number; limit: number },
): Promise<string | null> {
  const { rowCount } = await db.query({
    name: 'delete-old-mails',
    text: `
      delete from mails where id in (
        select id from mails where due_at < $1 and created_at < $1 order by due_at limit $2
      )`,
    values: [new Date(before), limit],
  })
  return (rowCount ?? 0) < limit ? null : ''
}
