import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'

/** The stored part of a block. `timestamp` is in Unix seconds. */
export type Header = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: number
}

export async function findHeaders(db: Queryable, chainId: number): Promise<Header[]> {
  const { rows } = await db.query<Header>({
    name: 'find-headers',
    text: `
      select number, hash, parent_hash as "parentHash", timestamp::float8 as timestamp
      from chain_blocks where chain_id = $1`,
    values: [chainId],
  })
  return rows
}

/** Deletes the stored headers outside `keepFrom` to `keepTo`, and stores `added`. */
export async function replaceHeaders(
  db: Queryable,
  chainId: number,
  change: { keepFrom: bigint; keepTo: bigint; added: readonly Header[] },
): Promise<void> {
  await db.query({
    name: 'replace-headers',
    text: `
      with dropped as (
        delete from chain_blocks
        where chain_id = $1 and not (number between $2 and $3) and number <> all ($4::bigint[])
      )
      insert into chain_blocks as b (chain_id, number, hash, parent_hash, timestamp)
      select $1, * from unnest($4::bigint[], $5::text[], $6::text[], $7::bigint[])
      on conflict (chain_id, number) do update
        set hash = excluded.hash, parent_hash = excluded.parent_hash, timestamp = excluded.timestamp`,
    values: [
      chainId,
      change.keepFrom,
      change.keepTo,
      change.added.map((header) => header.number),
      change.added.map((header) => header.hash),
      change.added.map((header) => header.parentHash),
      change.added.map((header) => header.timestamp),
    ],
  })
}
