import { type Address, chains, type Mode, modeSchema } from '@payment-intents/contract'
import type { WalletClaim } from '@payment-intents/core'
import type { Queryable } from '../connection/connect.ts'

/** Per merchant. Beyond it, newer messages replace older ones. */
const maxNonces = 20

/** The nonce of a message to sign. */
export type WalletProofNonce = {
  /** SHA-256. */
  readonly hash: Buffer
  readonly merchantId: string
  readonly address: Address
  readonly chainId: number
}

export async function insertWalletProofNonce(
  db: Queryable,
  { hash, merchantId, address, chainId }: WalletProofNonce,
  { expiresAt }: { readonly expiresAt: number },
): Promise<void> {
  await db.query({
    name: 'insert-wallet-proof-nonce',
    text: `
      with replaced as (
        delete from wallet_proof_nonces where hash = any(array(
          select hash from wallet_proof_nonces where merchant_id = $2
          order by expires_at desc offset ${maxNonces - 1}
        ))
      )
      insert into wallet_proof_nonces (hash, merchant_id, address, chain_id, expires_at)
      values ($1, $2, $3, $4, $5)`,
    values: [hash, merchantId, address, chainId, new Date(expiresAt)],
  })
}

/**
 * Stores a proof, and uses up the nonce of its message. Of two concurrent requests, the second waits for the first and
 * finds no nonce.
 * @param proof `provenOn` is the chain on which it is valid; null: all chains. `now` is in Unix milliseconds
 * @returns the number of other merchants that list the address without a proof; null: the nonce is unknown, used or
 *   expired
 */
export async function insertWalletProof(
  db: Queryable,
  { hash, merchantId, address, chainId }: WalletProofNonce,
  { provenOn, now }: { provenOn: number | null; now: number },
): Promise<number | null> {
  const { rows } = await db.query<{ others: number }>({
    name: 'insert-wallet-proof',
    text: `
      with used as (
        delete from wallet_proof_nonces
        where hash = $1 and merchant_id = $2 and address = $3 and chain_id = $4 and expires_at > $6
        returning hash
      ), proof as (
        insert into wallet_proofs (merchant_id, address, chain_id, nonce_hash, proved_at)
        select $2, $3, $5, hash, $6 from used
        on conflict (address, merchant_id, coalesce(chain_id, 0))
          do update set nonce_hash = excluded.nonce_hash, proved_at = excluded.proved_at
        returning address
      )
      select (
        select count(*) from (
          select merchant_id from merchant_wallets where address = proof.address
          union select merchant_id from allowed_wallets where address = proof.address
          except select merchant_id from wallet_proofs where address = proof.address
        ) unproven where merchant_id <> $2
      )::int as others from proof`,
    values: [hash, merchantId, address, chainId, provenOn, new Date(now)],
  })
  return rows[0]?.others ?? null
}

/**
 * Finds all claims of merchants to an address. A merchant may have several.
 * @param where null: on any chain in any mode
 */
export async function findWalletClaims(
  db: Queryable,
  address: Address,
  where: { readonly mode: Mode; readonly chainId: number } | null,
): Promise<WalletClaim[]> {
  const { rows } = await db.query<WalletClaim>({
    name: 'find-wallet-claims',
    text: `
      select merchant_id as "merchantId", 'proof' as by from wallet_proofs
      where address = $1 and (chain_id is null or $3::integer is null or chain_id = $3)
      union select merchant_id, 'list' from merchant_wallets
      where address = $1 and mode = any($2)
      union select merchant_id, 'list' from allowed_wallets where address = $1
      union select merchant_id, 'name' from wallet_owners
      where address = $1 and mode = any($2)`,
    values: [address, where ? [where.mode] : modeSchema.options, where?.chainId ?? null],
  })
  return rows
}

const chainIds = chains.map(({ mode, chain, chainId }) => `('${mode}', '${chain}', ${chainId})`)

/**
 * SQL that selects the chains on which others have proven a merchant's wallet, and the merchant has not.
 * @param merchantId SQL, like `mode`
 */
export function outrankedChains(merchantId: string, mode: string): string {
  return `
    select w.chain from merchant_wallets w
    join (values ${chainIds.join(', ')}) facts (mode, chain, chain_id) using (mode, chain)
    where w.merchant_id = ${merchantId} and w.mode = ${mode} and (
      select not bool_or(p.merchant_id = w.merchant_id) from wallet_proofs p
      where p.address = w.address and (p.chain_id is null or p.chain_id = facts.chain_id)
    )`
}

/**
 * Withdraws the proofs of a wallet on all chains. Messages that were already signed can no longer prove it.
 * @returns whether a proof existed
 */
export async function deleteWalletProofs(
  db: Queryable,
  { merchantId, address }: { readonly merchantId: string; readonly address: Address },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'delete-wallet-proofs',
    text: `
      with unused as (
        delete from wallet_proof_nonces where merchant_id = $1 and address = $2
      )
      delete from wallet_proofs where merchant_id = $1 and address = $2`,
    values: [merchantId, address],
  })
  return (rowCount ?? 0) > 0
}
