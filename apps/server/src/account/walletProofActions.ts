import {
  type Address,
  chainFacts,
  chainSchema,
  modeSchema,
  windows,
} from '@payment-intents/contract'
import {
  type CheckAccountSignature,
  checkWalletSignature,
  readWalletProof,
  type WalletProofRefusal,
  walletProofMessage,
  walletProofRefusals,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { z } from 'zod'
import { randomBytes } from '../lib/crypto/randomBytes.ts'
import { hashToken } from '../lib/crypto/token.ts'
import type { Queryable } from '../store/connection/connect.ts'
import {
  deleteWalletProofs,
  insertWalletProof,
  insertWalletProofNonce,
} from '../store/merchants/walletProofs.ts'
import { walletAddressSchema } from './walletActions.ts'

export const startWalletProofSchema = z.strictObject({
  mode: modeSchema,
  address: walletAddressSchema,
  /** The chain on which an account's code verifies its signature, if the account has no private key. */
  chain: chainSchema.default('base'),
})
export const finishWalletProofSchema = z.strictObject({
  address: walletAddressSchema,
  message: z.string().max(2_000),
  /** A signature by a private key, or in an account's own form. */
  signature: z
    .string()
    .regex(/^0x(?:[\da-fA-F]{2}){1,4096}$/, 'must be 0x and pairs of hexadecimal digits'),
})

type Context = {
  readonly db: Queryable
  /** The origin of the page that requests the signature. The message names it. */
  readonly url: string
  /** Unix milliseconds. */
  readonly now: () => number
}

/** A message to sign. `expiresAt` is in Unix milliseconds. */
export type StartedWalletProof = { readonly message: string; readonly expiresAt: number }

/** Creates the message that a merchant signs to prove that they hold the key of a wallet. It is valid once. */
export async function startWalletProof(
  { db, url, now }: Context,
  { merchantId }: { readonly merchantId: string },
  { mode, address, chain }: z.output<typeof startWalletProofSchema>,
): Promise<StartedWalletProof> {
  const issuedAt = now()
  const expiresAt = issuedAt + windows.walletProof * 1_000
  const { chainId } = chainFacts(mode, chain)
  const nonce = randomBytes(16).toString('hex')
  const stored = { hash: hashToken(nonce), merchantId, address, chainId }
  await insertWalletProofNonce(db, stored, { expiresAt })
  const message = walletProofMessage({ url, merchantId, address }, { chainId, nonce, issuedAt })
  return { message, expiresAt }
}

/**
 * `chainId`: the only chain on which the proof counts, since an account's code there accepted the signature; null: the
 * proof counts on every chain. `others`: the number of other merchants that list the wallet without a proof; their
 * requests are refused from now on. `unavailable`: no provider of the chain responds; the same message can be sent
 * again.
 */
export type FinishedWalletProof =
  | { readonly type: 'proven'; readonly chainId: number | null; readonly others: number }
  | { readonly type: 'refused'; readonly reason: WalletProofRefusal; readonly message: string }
  | { readonly type: 'unavailable' }

/** Checks the signature of a message from {@link startWalletProof}, and stores the proof. */
export async function finishWalletProof(
  {
    checkAccountSignature,
    ...context
  }: Context & { readonly checkAccountSignature: CheckAccountSignature },
  { merchantId }: { readonly merchantId: string },
  { address, message, signature }: z.output<typeof finishWalletProofSchema>,
): Promise<FinishedWalletProof> {
  const { db, url, now } = context
  const proof = readWalletProof(message, { url, merchantId, address }, now())
  if (proof.type === 'refused') return refused(proof.reason)
  const { chainId, nonce } = proof
  const signed = await checkWalletSignature(checkAccountSignature, {
    ...{ address, chainId, message, signature: signature as Hex },
  })
  if (signed.type === 'refused') return refused(signed.reason)
  if (signed.type === 'unavailable') return signed
  const stored = { hash: hashToken(nonce), merchantId, address, chainId }
  const provenOn = signed.chainId
  const others = await insertWalletProof(db, stored, { provenOn, now: now() })
  if (others === null) return refused('nonce_used')
  return { type: 'proven', chainId: provenOn, others }
}

/** Withdraws the proofs of a wallet: other merchants who list or name it may use it again. */
export async function withdrawWalletProof(
  db: Queryable,
  wallet: { readonly merchantId: string; readonly address: Address },
): Promise<{ readonly type: 'withdrawn' } | { readonly type: 'not_proven' }> {
  return { type: (await deleteWalletProofs(db, wallet)) ? 'withdrawn' : 'not_proven' }
}

function refused(reason: WalletProofRefusal): FinishedWalletProof {
  return { type: 'refused', reason, message: walletProofRefusals[reason] }
}
