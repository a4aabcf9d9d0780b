import { headerText, isMailAddress } from '../../lib/mailAddress.ts'
import type { Queryable } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'

export type NewMail = {
  readonly merchantId: string
  /** An address; by default those of all owners of the merchant. */
  readonly to?: string
  /** Shortened to a line of at most 200 characters. */
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

const longestSubject = 200

/**
 * Queues a mail. There is no other way to send a mail. Call it in the transaction of the change that the mail reports,
 * so that both are stored or neither. A server with `SMTP_URL` sends the mail within seconds, and retries for a day.
 * Without such a server, the mail is deleted after two days. The text is stored until then: check `config.mail` before
 * you queue a mail that holds a secret.
 * @returns the number of mails; 0: nobody has an address
 * @throws {Error} if `to` is no address: check a person's input with `isMailAddress`
 *
 * @example await transaction(db, async (client) => {
 * await removePerson(client, person)
 * await queueMail(client, { merchantId, subject: 'Somebody left', text: 'Ada is no longer an owner.' })
 * })
 */
export async function queueMail(
  db: Queryable,
  { merchantId, to, subject, text }: NewMail,
): Promise<number> {
  if (to !== undefined && !isMailAddress(to)) throw new Error('A mail needs an address.')
  const recipients = to === undefined ? await findOwners(db, merchantId) : [to]
  if (recipients.length === 0) return 0
  const ids = recipients.map(() => newId('mail', Date.now()))
  await db.query({
    name: 'queue-mails',
    text: `
      insert into mails (id, merchant_id, recipient, subject, text)
      select id, $1, recipient, $2, $3 from unnest($4::text[], $5::text[]) as m (id, recipient)`,
    values: [
      merchantId,
      [...headerText(subject)].slice(0, longestSubject).join(''),
      text,
      ids,
      recipients,
    ],
  })
  return recipients.length
}

/** The addresses of a merchant's owners, each once. */
async function findOwners(db: Queryable, merchantId: string): Promise<string[]> {
  const { rows } = await db.query<{ email: string }>({
    name: 'find-owners-addresses',
    text: `
      select email from people
      where merchant_id = $1 and role = 'owner' and removed_at is null and email is not null
      order by id`,
    values: [merchantId],
  })
  // An operator may have stored an invalid address.
  return [...new Set(rows.map(({ email }) => email))].filter(isMailAddress)
}
