import type { Alert } from '@payment-intents/contract'
import { alertMail, alertWindows, presentAlert } from '@payment-intents/core'
import { type Db, onlyRow, type Queryable, transaction } from '../connection/connect.ts'
import { insertAlertEvent } from '../events/events.ts'
import { newId } from '../lists/ids.ts'
import { queueMail } from '../mails/queueMail.ts'
import { type AlertGroup, putOffAlert, takeAlertObjects } from './alertObjects.ts'
import { findUnresolved } from './findUnresolved.ts'

type RaiseResult =
  | { readonly type: 'raised'; readonly alert: Alert }
  /** The cause raised an alert within the day. The next alert names the newer objects. */
  | { readonly type: 'put_off' }
  /** No object remains for the alert to name. */
  | { readonly type: 'gone' }
  /** Another process is raising it. */
  | { readonly type: 'locked' }

/**
 * Raises an alert about all due objects: writes its event with the deliveries, and a mail to each owner, in a single
 * transaction. Any number of processes may try: the first locks the cause, and later ones find it quiet.
 * @param now Unix milliseconds
 * @param dashboardUrl the mail links there; null: the mail has no link
 */
export function raiseAlert(
  db: Db,
  group: AlertGroup,
  now: number,
  dashboardUrl: string | null,
): Promise<RaiseResult> {
  return transaction(db, async (client) => {
    const raisedAt = await lockAlert(client, group)
    if (raisedAt === 'locked') return { type: 'locked' }
    const until = raisedAt + alertWindows.quiet
    if (until > now) {
      await putOffAlert(client, group, { now, until })
      return { type: 'put_off' }
    }
    const candidates = await takeAlertObjects(client, group, now)
    const ids = candidates.map(({ id }) => id)
    const unresolved = await findUnresolved(client, group.cause, ids)
    const objects = candidates.filter(({ id }) => unresolved.has(id))
    if (objects.length === 0) return { type: 'gone' }
    const { merchantId, mode, cause } = group
    const alert = presentAlert({ id: newId('alert', now), mode, cause, objects })
    await storeAlertTime(client, group, now)
    const event = { alertId: alert.id, merchantId, mode, object: JSON.stringify(alert) }
    await insertAlertEvent(client, event, now)
    const merchant = { id: merchantId, name: await findName(client, merchantId) }
    await queueMail(client, { merchantId, ...alertMail(alert, merchant, dashboardUrl) })
    return { type: 'raised', alert }
  })
}

/** Locks a cause. @returns the time of its last alert in Unix milliseconds; `-Infinity`: never */
async function lockAlert(
  client: Queryable,
  { merchantId, mode, cause }: AlertGroup,
): Promise<number | 'locked'> {
  const values = [merchantId, mode, cause]
  await client.query({
    name: 'insert-alert',
    text: `
      insert into alerts (merchant_id, mode, cause, raised_at)
      select $1::text, $2::text, $3::text, '-infinity'
      -- A conflict with a locked row would wait for it.
      where not exists (select from alerts where merchant_id = $1 and mode = $2 and cause = $3)
      on conflict do nothing`,
    values,
  })
  const { rows } = await client.query<{ raisedAt: number }>({
    name: 'lock-alert',
    text: `
      select floor(extract(epoch from raised_at) * 1000)::float8 as "raisedAt" from alerts
      where merchant_id = $1 and mode = $2 and cause = $3 for update skip locked`,
    values,
  })
  return rows[0]?.raisedAt ?? 'locked'
}

async function storeAlertTime(
  client: Queryable,
  { merchantId, mode, cause }: AlertGroup,
  now: number,
): Promise<void> {
  await client.query({
    name: 'store-alert-time',
    text: `
      update alerts set raised_at = $4 where merchant_id = $1 and mode = $2 and cause = $3`,
    values: [merchantId, mode, cause, new Date(now)],
  })
}

async function findName(client: Queryable, merchantId: string): Promise<string> {
  const result = await client.query<{ name: string }>({
    name: 'find-merchant-name',
    text: 'select name from merchants where id = $1',
    values: [merchantId],
  })
  return onlyRow(result).name
}
