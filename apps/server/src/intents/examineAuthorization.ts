import type { Address, TransferAuthorization } from '@payment-intents/contract'
import {
  type AuthorizationSource,
  type CheckedTerms,
  checkTerms,
  type Intent,
  notRelayed,
  type ReadSignature,
  type RefusedAuthorization,
  readSignature,
  refusalByOthers,
  refusalByToken,
  refusedAuthorization,
} from '@payment-intents/rules'
import type { Hex } from 'viem'
import {
  type AuthorizedIntent,
  type Beside,
  findByNonce,
  type KnownAuthorization,
  type StoredAuthorization,
} from '../db/authorizations/authorizations.ts'
import type { Db } from '../db/connect.ts'
import { newId } from '../db/ids.ts'
import type { Gasless } from '../relay/gasless.ts'

/** What the chain says of an authorization, at one moment. */
export type Inspected = {
  /** The account has code, which checks its signatures (EIP-1271, EIP-7702). */
  readonly hasCode: boolean
  readonly balance: bigint
  readonly isPaused: boolean
  readonly isPayerBlocked: boolean
  readonly isRecipientBlocked: boolean
  /** The token has taken the nonce, or the account has canceled it. */
  readonly isUsed: boolean
  /** Whether the token would take the call as it will be submitted. */
  readonly isTaken: boolean
}

/** @returns null when no provider of the chain answers */
export type InspectAuthorization = (
  chainId: number,
  signed: { readonly authorization: TransferAuthorization; readonly signature: Hex },
) => Promise<Inspected | null>

export type ExamineContext = {
  readonly db: Db
  readonly gasless: Gasless
  readonly inspect: InspectAuthorization
  /** The chain's clock, Unix milliseconds. */
  readonly clock: (chainId: number) => { readonly now: number }
  /** Runs what holds a connection to the database, once it is its turn. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

export type HandedIn = {
  readonly intent: Intent
  readonly authorization: TransferAuthorization
  readonly signature: Hex
  readonly source: AuthorizationSource
  /** Who gets what it pays for, where something is given out for it. */
  readonly claimant?: string | null
}

/** What was asked of the chain, and what would be stored. Nothing is decided yet. */
export type Examined = {
  type: 'examined'
  readonly row: StoredAuthorization
  readonly authorization: TransferAuthorization
  readonly read: Exclude<ReadSignature, { type: 'invalid' }>
  readonly inspected: Inspected
}

/** It was handed in for this intent before, and is in flight or used. */
export type Known = {
  type: 'known'
  readonly intent: AuthorizedIntent
  readonly authorization: KnownAuthorization
}

export type Unfit =
  | Exclude<CheckedTerms, { type: 'fitting' }>
  | RefusedAuthorization
  /** The chain could not be asked. Nothing was stored; the same request may succeed in a moment. */
  | { type: 'unavailable' }

/** Asks what there is to ask of an authorization (EIP-3009) before anything is locked or stored. */
export async function examineAuthorization(
  context: ExamineContext,
  { intent, authorization: given, signature, source, claimant = null }: HandedIn,
): Promise<Examined | Known | Unfit> {
  const { chainId } = intent
  const authorization = { ...given, from: lower(given.from), to: lower(given.to) }
  const payer = { chainId, from: authorization.from, nonce: given.nonce as Hex }
  const now = () => context.clock(chainId).now

  const read = await readSignature(chainId, authorization, signature)
  if (read.type === 'invalid') return refusedAuthorization('signature_invalid', read.message)
  const before = await context.inTurn(() => findByNonce(context.db.pool, payer))
  if (before && isStanding(before.known, intent) && isOf(before.known, read)) {
    return { type: 'known', intent: before.intent, authorization: before.known }
  }
  const terms = checkTerms(intent, authorization, { source, now: now() })
  if (terms.type !== 'fitting') return terms
  if (!context.gasless.isOffered({ chainId, merchantId: intent.merchantId })) {
    return notRelayed({ isConfigured: context.gasless.isConfigured(chainId) })
  }

  const signed = { authorization, signature: read.signature }
  const inspected = await context.inspect(chainId, signed)
  if (!inspected) return { type: 'unavailable' }
  const unsigned = refusalBySignature(read, inspected, authorization.from)
  if (unsigned) return unsigned

  const row: StoredAuthorization = {
    ...payer,
    id: newId('auth', now()),
    intentId: intent.id,
    token: intent.token,
    to: authorization.to,
    value: BigInt(authorization.value),
    validAfter: Number(authorization.validAfter),
    validBefore: Number(authorization.validBefore),
    signature: read.signature,
    source,
    claimant,
  }
  return { type: 'examined', row, authorization, read, inspected }
}

/** Why an authorization that was examined is not taken; null: it is. */
export function refusalOf(
  { row, read, inspected }: Examined,
  beside: Beside,
): RefusedAuthorization | null {
  const isAnothers = beside.known !== null && beside.known.intentId !== row.intentId
  return (
    refusalByOthers({ ...beside, isAnothers: isAnothers || beside.namesAnother }) ??
    refusalOfWornOut(beside) ??
    refusalByToken({ ...inspected, value: row.value, promised: beside.promised }) ??
    refusalBySimulation(read, inspected)
  )
}

/** Whether what was handed in before is this intent's, and still stands. */
export function isStanding(
  { intentId, status }: KnownAuthorization,
  { id }: Pick<Intent, 'id'>,
): boolean {
  return intentId === id && (status === 'in_flight' || status === 'used')
}

/** Whether a signature is that of the authorization that was handed in before, or another one of its account. */
export function isOf(
  { from, signature }: KnownAuthorization,
  read: Exclude<ReadSignature, { type: 'invalid' }>,
): boolean {
  return read.signature === signature || (read.type === 'account' && read.signer === from)
}

/** Only an account's code can vouch for a signature that is not of its private key. */
function refusalBySignature(
  read: Exclude<ReadSignature, { type: 'invalid' }>,
  { hasCode }: Inspected,
  from: Address,
): RefusedAuthorization | null {
  if (hasCode || (read.type === 'account' && read.signer === from)) return null
  const message =
    read.type === 'account'
      ? `The signature is of ${read.signer}, or of another message, chain or token, not of ${from}.`
      : read.message
  return refusedAuthorization('signature_invalid', message)
}

/** It would be taken, and never submitted. */
function refusalOfWornOut({ isWornOut }: { isWornOut: boolean }): RefusedAuthorization | null {
  if (!isWornOut) return null
  const message = 'Too many payments of this account were reverted today: pay by a transfer.'
  return refusedAuthorization('gasless_unavailable', message)
}

/** Nothing else speaks against it, and still the token refuses the call. */
function refusalBySimulation(
  { type }: ReadSignature,
  { isTaken, hasCode }: Inspected,
): RefusedAuthorization | null {
  if (isTaken) return null
  if (hasCode || type === 'contract') {
    const message = 'The code of the account does not take the signature (EIP-1271).'
    return refusedAuthorization('signature_invalid', message)
  }
  const message = 'USDC would not take this authorization now: pay by a transfer.'
  return refusedAuthorization('gasless_unavailable', message)
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
