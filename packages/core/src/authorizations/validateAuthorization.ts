import type { Address, TransferAuthorization } from '@payment-intents/contract'
import type { Hex } from 'viem'
import type { Intent } from '../payment-intents/intent.ts'
import type { Service } from '../service.ts'
import {
  notRelayed,
  type RefusedAuthorization,
  refusalByConflict,
  refusalByToken,
  refusedAuthorization,
} from './authorizationRefusals.ts'
import { type AuthorizationSource, checkTerms } from './checkTerms.ts'
import { type ParsedSignature, readSignature } from './readSignature.ts'
import type {
  AuthorizedIntent,
  ConflictingAuthorizations,
  EarlierAuthorization,
  StoredAuthorization,
  UnfitAuthorization,
} from './store.ts'
import { type Simulation, validateSignedTransfer } from './validateSignedTransfer.ts'

/** A signed transfer that a payer or an x402 client submits for an intent. */
export type AuthorizationSubmission = {
  readonly intent: Intent
  readonly authorization: TransferAuthorization
  readonly signature: Hex
  readonly source: AuthorizationSource
  /** The claimant of the goods that it pays for, if any. */
  readonly claimant?: string | null
}

/** A submission that the terms and the chain allow. It may still be refused because of conflicting submissions. */
export type ValidatedAuthorization = {
  readonly type: 'validated'
  readonly stored: StoredAuthorization
  readonly authorization: TransferAuthorization
  readonly parsedSignature: Exclude<ParsedSignature, { type: 'invalid' }>
  readonly simulation: Simulation
  /** Why the token would refuse it; null: the token accepts it. */
  readonly refusal: RefusedAuthorization | null
}

/** A repeated submission whose authorization is in flight or used. */
export type RepeatedAuthorization = {
  readonly type: 'repeated'
  readonly intent: AuthorizedIntent
  readonly authorization: EarlierAuthorization
}

/** Validates a submission against the terms and the chain, before anything is locked or stored. */
export async function validateAuthorization(
  service: Pick<Service, 'store' | 'clock' | 'gasless' | 'simulateTransfer' | 'newId'>,
  { intent, authorization: signed, signature, source, claimant = null }: AuthorizationSubmission,
): Promise<ValidatedAuthorization | RepeatedAuthorization | UnfitAuthorization> {
  const { gasless, simulateTransfer } = service
  const { chainId, merchantId } = intent
  const authorization = { ...signed, from: lower(signed.from), to: lower(signed.to) }
  const nonce = { chainId, from: authorization.from, nonce: signed.nonce as Hex }
  const now = () => service.clock(chainId).now

  const parsedSignature = await readSignature(chainId, authorization, signature)
  if (parsedSignature.type === 'invalid')
    return refusedAuthorization('signature_invalid', parsedSignature.message)
  const before = await service.store.authorizations.findByNonce(nonce)
  if (
    before &&
    isStanding(before.earlier, intent) &&
    isSameSignature(before.earlier, parsedSignature)
  ) {
    return { type: 'repeated', intent: before.intent, authorization: before.earlier }
  }
  const terms = checkTerms(intent, authorization, { source, now: now() })
  if (terms.type !== 'fitting') return terms
  if (!gasless.isOffered({ chainId, merchantId })) {
    return notRelayed({ isConfigured: gasless.isConfigured(chainId) })
  }
  const validated = await validateSignedTransfer(
    (transfer) => simulateTransfer(chainId, transfer),
    {
      authorization,
      parsedSignature,
    },
  )
  if (validated.type !== 'validated') return validated
  const stored: StoredAuthorization = {
    ...nonce,
    id: service.newId('auth', now()),
    intentId: intent.id,
    token: intent.token,
    to: authorization.to,
    value: BigInt(authorization.value),
    validAfter: Number(authorization.validAfter),
    validBefore: Number(authorization.validBefore),
    signature: parsedSignature.signature,
    source,
    claimant,
  }
  const { simulation, refusal } = validated
  return { type: 'validated', stored, authorization, parsedSignature, simulation, refusal }
}

/** Why a validated authorization is refused; null: it is accepted. */
export function refusalBy(
  conflicting: ConflictingAuthorizations,
  { stored, simulation, refusal }: ValidatedAuthorization,
): RefusedAuthorization | null {
  const { earlier, isInFlight, namesAnother, promised } = conflicting
  const isOtherIntent = namesAnother || (earlier !== null && earlier.intentId !== stored.intentId)
  return (
    refusalByConflict({ isInFlight, isOtherIntent }) ??
    refusalOfLink(conflicting) ??
    refusalOfCutOff(conflicting) ??
    refusal ??
    // Once more, with the units that the account has promised to other payments.
    refusalByToken({ ...simulation, isUsed: simulation.nonceUsed, value: stored.value, promised })
  )
}

/** Whether an earlier authorization belongs to this intent and may still move money or has moved it. */
export function isStanding(
  { intentId, status }: EarlierAuthorization,
  { id }: Pick<Intent, 'id'>,
): boolean {
  return intentId === id && (status === 'in_flight' || status === 'used')
}

/**
 * Whether a signature equals that of the earlier authorization, or is another by the private key of the same account.
 */
export function isSameSignature(
  { from, signature }: EarlierAuthorization,
  parsedSignature: Exclude<ParsedSignature, { type: 'invalid' }>,
): boolean {
  return (
    parsedSignature.signature === signature ||
    (parsedSignature.type === 'account' && parsedSignature.signer === from)
  )
}

function refusalOfLink({ isLinkUsedUp }: ConflictingAuthorizations): RefusedAuthorization | null {
  if (!isLinkUsedUp) return null
  return refusedAuthorization('illegal_state', 'The payment link is used up.')
}

/** Nothing is broadcast for a cut-off account, so its authorization is refused before it is stored. */
function refusalOfCutOff({ isCutOff }: { isCutOff: boolean }): RefusedAuthorization | null {
  if (!isCutOff) return null
  const message =
    'Too many payments of this account, or of accounts with its code, were reverted: pay by a transfer.'
  return refusedAuthorization('gasless_unavailable', message)
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
