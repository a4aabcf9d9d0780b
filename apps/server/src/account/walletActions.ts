import { type Address, chainFacts, chainSchema, modeSchema } from '@payment-intents/contract'
import { mayUseWallet } from '@payment-intents/core'
import { isAddress } from 'viem'
import { z } from 'zod'
import type { Queryable } from '../store/connection/connect.ts'
import * as merchants from '../store/merchants/merchants.ts'
import { findWalletClaims } from '../store/merchants/walletProofs.ts'

/** Converts an address to lower case. Refuses a wrong checksum, since payments to a mistyped wallet would be lost. */
export const walletAddressSchema = z
  .string()
  .refine(
    (text) => isAddress(text) && BigInt(text) !== 0n,
    'must be 0x and 40 hexadecimal digits, with a right EIP-55 checksum if in mixed case',
  )
  .transform((text) => text.toLowerCase() as Address)

export const setWalletSchema = z.strictObject({
  mode: modeSchema,
  chain: chainSchema,
  address: walletAddressSchema,
})
export const walletSchema = z.strictObject({ address: walletAddressSchema })

/**
 * The merchant whose wallets change, and who changes them. The operator may list any address. An owner needs a proof
 * for an address that another merchant claims: without one, the entry would outrank a merchant who named the address
 * first.
 */
export type WalletAccount = {
  readonly merchantId: string
  readonly by: 'operator' | 'owner'
}

type Wallet = z.output<typeof walletSchema>

/**
 * `isOutranked`: another merchant has proven the wallet, so requests that use it are refused until this merchant also
 * proves it.
 */
export type ListedWallet =
  | { readonly type: 'listed'; readonly address: Address; readonly isOutranked: boolean }
  | { readonly type: 'needs_proof'; readonly address: Address }

/** Sets or replaces the merchant's wallet on a chain. */
export async function setWallet(
  db: Queryable,
  account: WalletAccount,
  { mode, chain, address }: z.output<typeof setWalletSchema>,
): Promise<ListedWallet> {
  const where = { mode, chainId: chainFacts(mode, chain).chainId }
  const listed = await findListed(db, account, address, where)
  if (listed.type === 'needs_proof') return listed
  await merchants.setMerchantWallet(db, { merchantId: account.merchantId, mode, chain, address })
  return listed
}

/** Adds a recipient that requests may name. The first entry on the list excludes all addresses that are not on it. */
export async function allowWallet(
  db: Queryable,
  account: WalletAccount,
  { address }: Wallet,
): Promise<ListedWallet> {
  const listed = await findListed(db, account, address, null)
  if (listed.type === 'needs_proof') return listed
  await merchants.allowWallet(db, { merchantId: account.merchantId, address })
  return listed
}

/** `remaining` is the number of wallets on the list. At 0, requests may name any wallet. */
export type DisallowedWallet =
  | { readonly type: 'disallowed'; readonly remaining: number }
  | { readonly type: 'not_listed' }

/** Removes a recipient from the list of those that requests may name. */
export async function disallowWallet(
  db: Queryable,
  { merchantId }: WalletAccount,
  { address }: Wallet,
): Promise<DisallowedWallet> {
  const remaining = await merchants.disallowWallet(db, { merchantId, address })
  return remaining === null ? { type: 'not_listed' } : { type: 'disallowed', remaining }
}

/** Lets a wallet pay the merchant's refunds. It needs no proof: without its key, nobody can sign for it. */
export async function allowRefundWallet(
  db: Queryable,
  { merchantId }: WalletAccount,
  { address }: Wallet,
): Promise<{ readonly type: 'allowed' }> {
  await merchants.allowRefundWallet(db, { merchantId, address })
  return { type: 'allowed' }
}

export async function disallowRefundWallet(
  db: Queryable,
  { merchantId }: WalletAccount,
  { address }: Wallet,
): Promise<{ readonly type: 'disallowed' } | { readonly type: 'not_listed' }> {
  const wasListed = await merchants.disallowRefundWallet(db, { merchantId, address })
  return { type: wasListed ? 'disallowed' : 'not_listed' }
}

/** A merchant's wallets, allowed recipients, refund wallets and wallet proofs; null: no such merchant. */
export const listWallets = merchants.listWallets

/** Decides whether the merchant may list an address, and whether another merchant's proof outranks the entry. */
async function findListed(
  db: Queryable,
  { merchantId, by }: WalletAccount,
  address: Address,
  where: Parameters<typeof findWalletClaims>[2],
): Promise<ListedWallet> {
  const claims = await findWalletClaims(db, address, where)
  if (by === 'owner' && !mayUseWallet(claims, merchantId)) return { type: 'needs_proof', address }
  const proofs = claims.filter((claim) => claim.by === 'proof')
  return { type: 'listed', address, isOutranked: !mayUseWallet(proofs, merchantId) }
}
