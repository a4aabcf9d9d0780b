import { limits } from '@payment-intents/contract'
import type { TimelineRecords } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'
import { timeOfId } from '../lists/ids.ts'

const { events, transfers, others } = limits.timeline

type Records<Kind extends keyof TimelineRecords> = TimelineRecords[Kind][number]

/**
 * Reads the records of an intent. Each statement reads a limited number of rows, except the statement of transfers,
 * which sorts them.
 */
export async function readTimeline(db: Queryable, id: string): Promise<TimelineRecords> {
  const readKind = async <Kind extends keyof TimelineRecords>(kind: Kind) => {
    const { rows } = await db.query<Records<Kind> & object>({
      ...{ name: `timeline-${kind}`, text: statements[kind], values: [id] },
    })
    return rows
  }
  return {
    events: await readKind('events'),
    transfers: (await readKind('transfers')).map((row) => ({ ...row, seenAt: timeOfId(row.id) })),
    authorizations: await readKind('authorizations'),
    deliveries: await readKind('deliveries'),
    refunds: await readKind('refunds'),
  }
}

const milliseconds = (column: string) => `floor(extract(epoch from ${column}) * 1000)::float8`

/** SQL of the events of an intent, and of the events of its refunds. */
const selectEvents = (columns: string) => `
  (select ${columns} from events e where e.intent_id = $1 order by e.sequence limit ${events + 1})
  union all
  (select ${columns} from events e
   where e.refund_id in (select id from refunds where intent_id = $1 order by id limit ${others + 1})
   order by e.id limit ${events + 1})`

const statements: { readonly [Kind in keyof TimelineRecords]: string } = {
  events: `
    select * from (${selectEvents(`e.id, e.type, e.refund_id as "refundId", ${milliseconds('e.created_at')} as time`)}) all_events
    order by time, id limit ${events + 1}`,
  transfers: `
    select id, tx_hash as "txHash", amount_units as amount, sender as "from",
      block_number as "blockNumber", block_timestamp::float8 as "blockTimestamp",
      bound_by as "boundBy", orphaned
    from transfers where intent_id = $1 order by amount_units desc, id limit ${transfers + 1}`,
  authorizations: `
    select a.id, a.authorizer as "from", a.source, a.status, a.reason, a.tx_hash as "txHash",
      ${milliseconds('a.created_at')} as "createdAt", ${milliseconds('a.ended_at')} as "endedAt", (
        select coalesce(json_agg(json_build_object('txHash', sent.tx_hash, 'time', sent.time)), '[]')
        from (
          select tx_hash, ${milliseconds('created_at')} as time from relayer_transactions
          where authorization_id = a.id order by created_at limit ${others}
        ) sent
      ) as broadcasts
    from authorizations a where a.intent_id = $1 order by a.id limit ${others + 1}`,
  deliveries: `
    select d.event_id as event, d.endpoint_id as "endpointId", d.attempts,
      d.last_attempt_at as "lastAttemptAt", d.due_at as "nextAttemptAt",
      d.response_status as "responseStatus", d.error, d.delivered_at is not null as delivered
    from (${selectEvents('e.id')}) e join webhook_deliveries d on d.event_id = e.id
    order by d.event_id, d.endpoint_id limit ${others + 1}`,
  refunds: `
    select r.id, r.status, r.amount_units as amount, ${milliseconds('r.created_at')} as time, (
        select t.tx_hash from transfers t where t.refund_id = r.id and not t.orphaned
      ) as "txHash"
    from refunds r where r.intent_id = $1 order by r.id limit ${others + 1}`,
}
