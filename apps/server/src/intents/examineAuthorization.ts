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
import {
  type InspectAuthorization,
  type Simulation,
  validateTransfer,
} from '../relay/validateTransfer.ts'

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
  /** The claimant that gets what it pays for, if something is given out for it. */
  readonly claimant?: string | null
}

/** What was asked of the chain, and what would be stored. Nothing is decided yet. */
export type Examined = {
  type: 'examined'
  readonly row: StoredAuthorization
  readonly authorization: TransferAuthorization
  readonly read: Exclude<ReadSignature, { type: 'invalid' }>
  readonly simulation: Simulation
  /** Why the token does not take it; null: it does. */
  readonly refusal: RefusedAuthorization | null
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

  const simulate = (signed: Parameters<InspectAuthorization>[1]) => context.inspect(chainId, signed)
  const validated = await validateTransfer(simulate, { authorization, read })
  if (validated.type !== 'validated') return validated
  const { simulation, refusal } = validated

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
  return { type: 'examined', row, authorization, read, simulation, refusal }
}

/** Why an authorization that was examined is not taken; null: it is. */
export function refusalOf(
  { row, simulation, refusal }: Examined,
  beside: Beside,
): RefusedAuthorization | null {
  const isAnothers = beside.known !== null && beside.known.intentId !== row.intentId
  return (
    refusalByOthers({ ...beside, isAnothers: isAnothers || beside.namesAnother }) ??
    refusalOfCutOff(beside) ??
    refusal ??
    // Once more, with what the account has promised to other payments.
    refusalByToken({
      ...simulation,
      isUsed: simulation.nonceUsed,
      value: row.value,
      promised: beside.promised,
    })
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

/** It would be taken, and never submitted. */
function refusalOfCutOff({ isCutOff }: { isCutOff: boolean }): RefusedAuthorization | null {
  if (!isCutOff) return null
  const message =
    'Too many payments of this account, or of accounts with its code, were reverted: pay by a transfer.'
  return refusedAuthorization('gasless_unavailable', message)
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
