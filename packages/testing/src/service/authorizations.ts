import {
  type AuthorizationNonce,
  type AuthorizationStore,
  type AuthorizationToStore,
  type ConflictingAuthorizations,
  type EarlierAuthorization,
  type Intent,
  isPaid,
} from '@payment-intents/core'
import type { Payment } from './store/bindPayment.ts'
import type { HeldAuthorization, RecordedTransfer, Records } from './store/records.ts'

export type Authorizations = ReturnType<typeof createAuthorizations>

/** The authorizations that payers submitted. Every account of the test service has enough USDC, and no code. */
export function createAuthorizations(records: Records) {
  const { intents, seconds, isInFlight, authorizations: held } = records
  const all = () => [...held.values()]

  /** Changes an authorization visibly. @param isSeen the intent changed with it */
  function change(
    authorization: HeldAuthorization,
    changes: Partial<HeldAuthorization>,
    isSeen: boolean,
  ): void {
    const { status = authorization.status } = changes
    const endedAt = status === 'in_flight' ? null : records.clock.now
    held.set(keyOf(authorization), { ...authorization, ...changes, endedAt })
    const intent = intents.get(authorization.intentId)
    if (!isSeen && intent) intents.set(intent.id, { ...intent, version: intent.version + 1 })
  }

  function findConflicting(authorization: AuthorizationToStore): ConflictingAuthorizations {
    const { intentId, from, nonce } = authorization
    const promised = all()
      .filter((one) => one.from === from && one.intentId !== intentId && one.status === 'in_flight')
      .reduce((sum, { value }) => sum + value, 0n)
    return {
      earlier: held.get(keyOf(authorization)) ?? null,
      isInFlight: isInFlight(intentId),
      promised,
      isCutOff: false,
      namesAnother: [...intents.values()].some(
        ({ id, reference }) => reference === nonce && id !== intentId,
      ),
      isLinkUsedUp: records.placesOf(intentId).remaining === 0,
    }
  }

  const store: AuthorizationStore = {
    async findByNonce(nonce) {
      const earlier = held.get(keyOf(nonce))
      const intent = earlier && intents.get(earlier.intentId)
      return intent ? { earlier, intent } : null
    },
    async submit({ codeHash, ...authorization }, decide) {
      const intent = intents.get(authorization.intentId) ?? null
      const decided = decide(intent, findConflicting({ ...authorization, codeHash }))
      if (decided.type !== 'store') return decided
      const stored: HeldAuthorization = {
        ...{ ...authorization, claimedBy: authorization.claimant, givenOutTo: null, endedAt: null },
        ...{ status: 'in_flight', reason: null, txHash: null },
      }
      held.delete(keyOf(stored))
      change(stored, {}, false)
      records.tell()
      const now = intents.get(stored.intentId) ?? (intent as Intent)
      return { type: 'accepted', intent: now, authorization: stored }
    },
    async claim(nonce, { claimant, request }) {
      const stored = held.get(keyOf(nonce))
      const isTheirs =
        stored?.status === 'used' &&
        (stored.claimedBy ?? claimant) === claimant &&
        (stored.givenOutTo ?? request) === request
      if (!isTheirs) return 'refused'
      held.set(keyOf(stored), { ...stored, claimedBy: claimant, givenOutTo: request })
      return 'claimed'
    },
  }

  return {
    ...{ store, findConflicting, isInFlight },
    isUsed: (nonce: AuthorizationNonce) => held.get(keyOf(nonce))?.status === 'used',
    /** The one in flight, else the used, else the newest. */
    of(intentId: string): EarlierAuthorization | null {
      const its = all().filter((one) => one.intentId === intentId)
      const inStatus = (status: string) => its.findLast((one) => one.status === status)
      return inStatus('in_flight') ?? inStatus('used') ?? its.at(-1) ?? null
    },

    /** The payments that the next block of a chain has to hold. */
    due({ chain }: Pick<Payment, 'chain'>): Payment[] {
      return all().flatMap(({ intentId, status, from, nonce, validBefore }) => {
        const intent = intents.get(intentId)
        if (intent?.chain !== chain || status !== 'in_flight' || validBefore <= seconds()) return []
        const { wallet: to, amount } = intent
        const authorized = { authorizationNonce: nonce, authorizedFor: intentId }
        return [{ chain, from, to, amount, reference: null, ...authorized }]
      })
    },

    /** A transfer is in a block: its own authorization is used, and one that was not sent yet is needless. */
    paid({ from, txHash, intentId }: RecordedTransfer, nonce: string | undefined): void {
      for (const one of all()) {
        if (one.nonce === nonce && one.from === from) {
          change(one, { status: 'used', txHash }, true)
        } else if (one.intentId === intentId && one.status === 'in_flight') {
          const intent = intents.get(intentId)
          const isNeedless = intent && isPaid(intent)
          if (isNeedless) change(one, { status: 'refused', reason: 'intent_paid' }, true)
        }
      }
    },

    takenBack({ from, txHash }: RecordedTransfer): void {
      for (const one of all()) {
        if (one.txHash !== txHash || one.from !== from || one.status !== 'used') continue
        const open = isInFlight(one.intentId) ? 'refused' : 'in_flight'
        change(one, { status: one.validBefore > seconds() ? open : 'expired' }, true)
      }
    },

    /** Ends what the chain's clock has passed. @param before the intents as they were before it was read */
    expire(before: ReadonlyMap<string, Intent>): void {
      for (const one of all()) {
        if (one.status !== 'in_flight' || one.validBefore > seconds()) continue
        change(one, { status: 'expired' }, before.get(one.intentId) !== intents.get(one.intentId))
      }
    },
  }
}

function keyOf({ chainId, from, nonce }: AuthorizationNonce): string {
  return `${chainId}:${from}:${nonce}`
}
