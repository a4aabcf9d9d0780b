import type { Db, Queryable } from '../connection/connect.ts'

/** The right to submit transactions for a chain. */
export type RelayLease = { readonly chainId: number; readonly epoch: bigint }

export class RelayLeaseLost extends Error {
  constructor({ chainId, epoch }: RelayLease) {
    super(`Another process submits for chain ${chainId} now (epoch ${epoch} is over).`)
  }
}

const leaseSeconds = 5

/** Acquires the lease; null: another process holds it. */
export async function acquireRelayLease(db: Db, chainId: number): Promise<RelayLease | null> {
  const { rows } = await db.pool.query<{ epoch: bigint }>({
    name: 'acquire-relay-lease',
    text: `
      insert into relayer_leases as l (chain_id, epoch, lease_until)
      values ($1, 1, now() + make_interval(secs => $2))
      on conflict (chain_id) do update set epoch = l.epoch + 1, lease_until = excluded.lease_until
        where l.lease_until < now()
      returning epoch`,
    values: [chainId, leaseSeconds],
  })
  return rows[0] ? { chainId, epoch: rows[0].epoch } : null
}

/**
 * Renews the lease. As the first statement of a transaction, it also locks the lease until the transaction ends, so
 * that no other epoch begins before the writes are committed.
 * @throws {RelayLeaseLost}
 */
export async function holdRelayLease(db: Queryable, lease: RelayLease): Promise<void> {
  const { rowCount } = await db.query({
    name: 'hold-relay-lease',
    text: `
      update relayer_leases set lease_until = now() + make_interval(secs => $3)
      where chain_id = $1 and epoch = $2`,
    values: [lease.chainId, lease.epoch, leaseSeconds],
  })
  if (rowCount === 0) throw new RelayLeaseLost(lease)
}

/** Lets another process take over at once. */
export async function releaseRelayLease(db: Db, lease: RelayLease): Promise<void> {
  await db.pool.query({
    name: 'release-relay-lease',
    text: `update relayer_leases set lease_until = '-infinity' where chain_id = $1 and epoch = $2`,
    values: [lease.chainId, lease.epoch],
  })
}
