import type { Address, TransferAuthorization } from '@payment-intents/contract'
import {
  type AuthorizationSource,
  checkTerms,
  type Intent,
  isPaid,
  notRelayed,
  type PresentableAuthorization,
  type ReadSignature,
  type RefusedAuthorization,
  readSignature,
  refusalByOthers,
  refusedAuthorization,
} from '@payment-intents/rules'
import type { Hex } from 'viem'
import type { Payment } from './bindPayment.ts'
import type { LedgerTransfer } from './present.ts'
import type { Records } from './records.ts'

/** What a payer has signed for an intent. */
type Authorization = PresentableAuthorization & {
  readonly intentId: string
  readonly nonce: Hex
}

/** An authorization that is handed in. */
export type Given = {
  readonly authorization: TransferAuthorization
  readonly signature: Hex
  readonly source: AuthorizationSource
}

export type Unfit =
  | Exclude<ReturnType<typeof checkTerms>, { type: 'fitting' }>
  | RefusedAuthorization

export type HandedIn =
  | { type: 'accepted'; intent: Intent; authorization: PresentableAuthorization }
  | Unfit

/** The authorizations that were handed in. Every account of the test service has enough of USDC, and no code. */
export function createAuthorizations(records: Records, isOffered: boolean) {
  const { intents, clock, seconds } = records
  /** By account and nonce, in the order in which they were handed in last. */
  const held = new Map<string, Authorization>()

  const of = (intentId: string): Authorization | null =>
    [...held.values()].findLast((one) => one.intentId === intentId) ?? null

  function isInFlight(intentId: string): boolean {
    return [...held.values()].some((one) => one.intentId === intentId && one.status === 'in_flight')
  }

  /** Changes one, visibly. @param isSeen the intent changed with it */
  function end(one: Authorization, change: Partial<Authorization>, isSeen: boolean): void {
    held.set(keyOf(one), { ...one, ...change })
    const intent = intents.get(one.intentId)
    if (!isSeen && intent) intents.set(intent.id, { ...intent, version: intent.version + 1 })
  }

  function chainIdOf(intentId: string): number {
    const intent = intents.get(intentId)
    if (!intent) throw new Error('A payment intent never goes away.')
    return intent.chainId
  }

  function refusalOf(
    intent: Intent,
    { authorization, source }: Given,
    read: ReadSignature,
  ): Unfit | null {
    if (read.type === 'invalid') return refusedAuthorization('signature_invalid', read.message)
    const terms = checkTerms(intent, authorization, { source, now: clock.now })
    if (terms.type !== 'fitting') return terms
    if (!isOffered) return notRelayed({ isConfigured: false })
    const from = authorization.from.toLowerCase() as Address
    if (!isBy(read, from)) return refusedAuthorization('signature_invalid', notBy(read, from))
    const isAnothers = [...held.values()].some(
      (one) => one.from === from && one.nonce === authorization.nonce && one.intentId !== intent.id,
    )
    return refusalByOthers({ isInFlight: isInFlight(intent.id), isAnothers })
  }

  return {
    isInFlight,
    of,
    /** Whatever was handed in for its intent since. */
    by: (payer: { from: string; nonce: string }): Authorization | null =>
      held.get(keyOf(payer)) ?? null,
    isOffered: (intentId: string) => isOffered && !isInFlight(intentId),

    async handIn(intentId: string, given: Given): Promise<HandedIn> {
      const { authorization } = given
      const read = await readSignature(chainIdOf(intentId), authorization, given.signature)
      const from = authorization.from.toLowerCase() as Address
      // As it is once the signature has been read.
      const intent = intents.get(intentId)
      if (!intent) throw new Error('A payment intent never goes away.')
      const before = held.get(keyOf(authorization))
      const isStanding =
        before?.intentId === intentId && ['in_flight', 'used'].includes(before.status)
      if (isStanding && isBy(read, from)) {
        return { type: 'accepted', intent, authorization: before }
      }
      const refusal = refusalOf(intent, given, read)
      if (refusal) return refusal
      const { validBefore, nonce } = authorization
      const stored: Authorization = {
        ...{ intentId, from, nonce: nonce as Hex, status: 'in_flight', reason: null, txHash: null },
        validBefore: Number(validBefore),
      }
      held.delete(keyOf(stored))
      end(stored, {}, false)
      const now = intents.get(intentId) ?? intent
      return { type: 'accepted', intent: now, authorization: stored }
    },

    /** Why one would not be taken for an intent that is not there yet; null: it would. */
    async check(intent: Intent, given: Given): Promise<Unfit | null> {
      const read = await readSignature(intent.chainId, given.authorization, given.signature)
      return refusalOf(intent, given, read)
    },

    /** What the next block of a chain has to hold. */
    due({ chain }: Pick<Payment, 'chain'>): Payment[] {
      return [...held.values()].flatMap(({ intentId, status, from, nonce, validBefore }) => {
        const intent = intents.get(intentId)
        if (intent?.chain !== chain || status !== 'in_flight' || validBefore <= seconds()) return []
        const { wallet: to, amount } = intent
        const authorized = { authorizationNonce: nonce, authorizedFor: intentId }
        return [{ chain, from, to, amount, reference: null, ...authorized }]
      })
    },

    /** A transfer is in a block: its own authorization is used, and one that was not sent yet is needless. */
    paid({ from, txHash, intentId }: LedgerTransfer, nonce: Hex | undefined): void {
      for (const one of held.values()) {
        if (one.nonce === nonce && one.from === from) {
          end(one, { status: 'used', txHash }, true)
        } else if (one.intentId === intentId && one.status === 'in_flight') {
          const intent = intents.get(intentId)
          if (intent && isPaid(intent)) end(one, { status: 'refused', reason: 'intent_paid' }, true)
        }
      }
    },

    takenBack({ from, txHash }: LedgerTransfer): void {
      for (const one of held.values()) {
        if (one.txHash !== txHash || one.from !== from || one.status !== 'used') continue
        const open = isInFlight(one.intentId) ? 'refused' : 'in_flight'
        end(one, { status: one.validBefore > seconds() ? open : 'expired' }, true)
      }
    },

    /** Ends what the chain's clock has passed. @param before the intents as they were before it was read */
    expire(before: ReadonlyMap<string, Intent>): void {
      for (const one of held.values()) {
        if (one.status !== 'in_flight' || one.validBefore > seconds()) continue
        end(one, { status: 'expired' }, before.get(one.intentId) !== intents.get(one.intentId))
      }
    },
  }
}

function keyOf({ from, nonce }: { from: string; nonce: string }): string {
  return `${from.toLowerCase()}:${nonce}`
}

function isBy(read: ReadSignature, from: Address): boolean {
  return read.type === 'account' && read.signer === from
}

function notBy(read: Exclude<ReadSignature, { type: 'invalid' }>, from: Address): string {
  return read.type === 'account'
    ? `The signature is of ${read.signer}, or of another message, chain or token, not of ${from}.`
    : read.message
}
