import type { Hex } from 'viem'
import type { Queryable } from './connect.ts'

/** What is kept of a block; `timestamp` in Unix seconds. */
export type Header = {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: number
}

export async function findHeaders(db: Queryable, chainId: number): Promise<Header[]> {
  const { rows } = await db.query<{
    number: bigint
    hash: Hex
    parent_hash: Hex
    timestamp: bigint
  }>({
    name: 'find-headers',
    text: 'select number, hash, parent_hash, timestamp from chain_blocks where chain_id = $1',
    values: [chainId],
  })
  return rows.map((row) => ({
    number: row.number,
    hash: row.hash,
    parentHash: row.parent_hash,
    timestamp: Number(row.timestamp),
  }))
}

/** Makes the stored headers those of `from` and below that are kept, plus `added`. */
export async function replaceHeaders(
  db: Queryable,
  chainId: number,
  change: { keepFrom: bigint; keepTo: bigint; added: readonly Header[] },
): Promise<void> {
  await db.query({
    name: 'drop-headers',
    text: 'delete from chain_blocks where chain_id = $1 and not (number between $2 and $3)',
    values: [chainId, change.keepFrom, change.keepTo],
  })
  await db.query({
    name: 'add-headers',
    text: `
      insert into chain_blocks (chain_id, number, hash, parent_hash, timestamp)
      select $1, * from unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[])`,
    values: [
      chainId,
      change.added.map((header) => header.number),
      change.added.map((header) => header.hash),
      change.added.map((header) => header.parentHash),
      change.added.map((header) => header.timestamp),
    ],
  })
}
