import type { Hex } from 'viem'
import type { Queryable } from '../connection/connect.ts'

/**
 * After this many reverted transactions nothing more is broadcast: of an account within a day, or of all accounts with
 * the same code within an hour. Honest accounts have nearly none. Many accounts may share a code, so a code is released
 * sooner.
 */
export const maxReverts = { account: 10, codeHash: 20 } as const

const windowOf = { account: '1 day', codeHash: '1 hour' } as const

/** SQL of reverts, except those that somebody else's broadcast of the same authorization caused. */
const reverted = `
  from relayer_transactions t join authorizations b on b.id = t.authorization_id
  where t.succeeded = false and b.status <> 'used'`

/** SQL that tells whether nothing more is broadcast for an account. Each parameter is an SQL expression. */
export function isCutOff(chainId: string, authorizer: string, codeHash: string): string {
  return `
    (
      select count(*) ${reverted} and t.chain_id = ${chainId}
        and t.created_at > now() - interval '${windowOf.account}' and b.authorizer = ${authorizer}
    ) >= ${maxReverts.account}
    or (
      select count(*) ${reverted} and t.chain_id = ${chainId}
        and t.created_at > now() - interval '${windowOf.codeHash}' and t.code_hash = ${codeHash}
    ) >= ${maxReverts.codeHash}`
}

/** The numbers of recent reverts, by account and by the hash of an account's code. */
export type Reverts = {
  readonly byAccount: ReadonlyMap<string, number>
  readonly byCodeHash: ReadonlyMap<Hex, number>
}

export async function readReverts(db: Queryable, chainId: number): Promise<Reverts> {
  const { rows } = await db.query<{
    authorizer: string
    codeHash: Hex | null
    day: number
    hour: number
  }>({
    name: 'read-relayer-reverts',
    text: `
      select b.authorizer, t.code_hash as "codeHash", count(*)::int as day,
        (count(*) filter (where t.created_at > now() - interval '${windowOf.codeHash}'))::int as hour
      ${reverted} and t.chain_id = $1 and t.created_at > now() - interval '${windowOf.account}'
      group by b.authorizer, t.code_hash`,
    values: [chainId],
  })
  const byAccount = new Map<string, number>()
  const byCodeHash = new Map<Hex, number>()
  for (const { authorizer, codeHash, day, hour } of rows) {
    byAccount.set(authorizer, (byAccount.get(authorizer) ?? 0) + day)
    if (codeHash !== null) byCodeHash.set(codeHash, (byCodeHash.get(codeHash) ?? 0) + hour)
  }
  return { byAccount, byCodeHash }
}
