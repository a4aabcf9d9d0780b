import type { Queryable } from '../connection/connect.ts'
import { waitingEndpoints } from './waitingEndpoints.ts'

/** The objects that wait. */
export type Backlog = {
  readonly open: readonly {
    readonly chainId: number
    readonly status: 'requires_payment' | 'pending_confirmations'
    /** At most {@link maxCounted}. */
    readonly count: number
  }[]
  /** Has an entry for each requested chain, even if nobody waits there. */
  readonly chains: readonly {
    readonly chainId: number
    /** The number of transactions that no provider has returned for long. */
    readonly quarantined: number
    /** The total number of transfers that only a later read of their blocks returned. */
    readonly delayedTransfers: number
    /** The number of refunds that wait for a destination, a signature or their transfer; at most {@link maxCounted}. */
    readonly openRefunds: number
    /** Seconds since the oldest of them was created; 0: there is none. */
    readonly oldestRefundSeconds: number
    /** The number of signed or paid refunds whose payment the chain took back. */
    readonly uncoveredRefunds: number
  }[]
  /** Seconds since the oldest delivery to an enabled endpoint was due; 0: none is due. */
  readonly oldestDueSeconds: number
  readonly disabledEndpoints: number
}

/** The maximum of rows that a scrape reads of each kind. */
const maxCounted = 10_000

/**
 * Reads the backlog. The cost does not grow with ended objects: the statement uses only partial indexes of open
 * objects.
 */
export async function readBacklog(db: Queryable, chainIds: readonly number[]): Promise<Backlog> {
  const { rows } = await db.query<Backlog>({
    name: 'read-backlog',
    text: backlogStatement,
    values: [chainIds, maxCounted],
  })
  return rows[0] ?? { open: [], chains: [], oldestDueSeconds: 0, disabledEndpoints: 0 }
}

const count = (status: string) =>
  `select count(*)::int as count from (
     select from payment_intents p where p.chain_id = c.id and p.status = '${status}' limit $2
   ) counted`

/** SQL of the condition that the partial index of open refunds has. */
const isOpen = `r.status in ('requires_destination', 'requires_signature', 'pending')`

export const backlogStatement = `
  with recursive ${waitingEndpoints}
  select
    (select coalesce(json_agg(json_build_object('chainId', c.id, 'status', s.status, 'count', s.count)), '[]')
     from unnest($1::int[]) as c (id) cross join lateral (
       select 'requires_payment' as status, requires.count from (${count('requires_payment')}) requires
       union all
       select 'pending_confirmations', pending.count from (${count('pending_confirmations')}) pending
     ) s) as open,
    (select coalesce(json_agg(json_build_object('chainId', c.id,
       'quarantined', (
         select count(*) from deferred_transactions d
         where d.chain_id = c.id and d.quarantined_at is not null and d.dismissed_at is null
       ),
       'delayedTransfers', coalesce((select k.delayed_transfers from chain_cursors k where k.chain_id = c.id), 0),
       'openRefunds', (select count(*) from (
         select from refunds r where r.chain_id = c.id and ${isOpen} limit $2
       ) counted),
       'oldestRefundSeconds', coalesce((
         select extract(epoch from now() - r.created_at) from refunds r
         where r.chain_id = c.id and ${isOpen} order by r.id limit 1
       ), 0),
       'uncoveredRefunds', (
         select count(*) from payment_intents p join refunds r on r.intent_id = p.id
         where p.chain_id = c.id and p.status = 'succeeded' and 'reorged' = any (p.exceptions)
           and r.status in ('pending', 'succeeded')
       ))), '[]')
     from unnest($1::int[]) as c (id)) as chains,
    (select count(*)::int from webhook_endpoints where disabled_reason in ('gone', 'failing'))
      as "disabledEndpoints",
    (select coalesce(max(extract(epoch from now() - first.due_at)), 0)
     from waiting
     join webhook_endpoints e on e.id = waiting.endpoint_id and e.disabled_reason is null
     cross join lateral (
       select least(d.due_at, now()) as due_at from webhook_deliveries d
       where d.endpoint_id = waiting.endpoint_id and d.due_at is not null
       order by d.due_at limit 1
     ) first)::float8 as "oldestDueSeconds"`
