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
import type { RecordedAuthorization, RecordedTransfer, Records } from './store/records.ts'

export type Authorizations = ReturnType<typeof createAuthorizations>

/** The authorizations that payers submitted. Every account of the test service has enough USDC, and no code. */
export function createAuthorizations(records: Records) {
  const { intents, seconds, isInFlight, authorizations: recorded } = records
  const all = () => [...recorded.values()]

  /** Changes an authorization, and so its intent's version. @param isMined the intent has changed already */
  function change(
    authorization: RecordedAuthorization,
    changes: Partial<RecordedAuthorization>,
    isMined: boolean,
  ): void {
    const { status = authorization.status } = changes
    const endedAt = status === 'in_flight' ? null : records.clock.now
    recorded.set(keyOf(authorization), { ...authorization, ...changes, endedAt })
    const intent = intents.get(authorization.intentId)
    if (!isMined && intent) intents.set(intent.id, { ...intent, version: intent.version + 1 })
  }

  function findConflicting(authorization: AuthorizationToStore): ConflictingAuthorizations {
    const { intentId, from, nonce } = authorization
    const promised = all()
      .filter(
        (authorization) =>
          authorization.from === from &&
          authorization.intentId !== intentId &&
          authorization.status === 'in_flight',
      )
      .reduce((sum, { value }) => sum + value, 0n)
    return {
      earlier: recorded.get(keyOf(authorization)) ?? null,
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
      const earlier = recorded.get(keyOf(nonce))
      const intent = earlier && intents.get(earlier.intentId)
      return intent ? { earlier, intent } : null
    },
    async submit({ codeHash, ...authorization }, decide) {
      const intent = intents.get(authorization.intentId) ?? null
      const decided = decide(intent, findConflicting({ ...authorization, codeHash }))
      if (decided.type !== 'store') return decided
      const stored: RecordedAuthorization = {
        ...{ ...authorization, claimedBy: authorization.claimant, assignedTo: null, endedAt: null },
        ...{ status: 'in_flight', reason: null, txHash: null },
      }
      recorded.delete(keyOf(stored))
      change(stored, {}, false)
      records.notify()
      const now = intents.get(stored.intentId) ?? (intent as Intent)
      return { type: 'accepted', intent: now, authorization: stored }
    },
    async claim(nonce, { claimant, request }) {
      const stored = recorded.get(keyOf(nonce))
      const isAuthentic =
        stored?.status === 'used' &&
        (stored.claimedBy ?? claimant) === claimant &&
        (stored.assignedTo ?? request) === request
      if (!isAuthentic) return 'refused'
      recorded.set(keyOf(stored), { ...stored, claimedBy: claimant, assignedTo: request })
      return 'claimed'
    },
  }

  return {
    ...{ store, findConflicting, isInFlight },
    isUsed: (nonce: AuthorizationNonce) => recorded.get(keyOf(nonce))?.status === 'used',
    /** The authorization in flight, else the used, else the newest. */
    of(intentId: string): EarlierAuthorization | null {
      const ofIntent = all().filter((authorization) => authorization.intentId === intentId)
      const inStatus = (status: string) =>
        ofIntent.findLast((authorization) => authorization.status === status)
      return inStatus('in_flight') ?? inStatus('used') ?? ofIntent.at(-1) ?? null
    },

    /** The authorized payments for the next block of a chain. */
    due({ chain }: Pick<Payment, 'chain'>): Payment[] {
      return all().flatMap(({ intentId, status, from, nonce, validBefore }) => {
        const intent = intents.get(intentId)
        if (intent?.chain !== chain || status !== 'in_flight' || validBefore <= seconds()) return []
        const { wallet: to, amount } = intent
        const authorized = { authorizationNonce: nonce, authorizedFor: intentId }
        return [{ chain, from, to, amount, reference: null, ...authorized }]
      })
    },

    /** A transfer is mined: its authorization is used, and the intent needs no authorization that was not sent yet. */
    paid({ from, txHash, intentId }: RecordedTransfer, nonce: string | undefined): void {
      for (const authorization of all()) {
        if (authorization.nonce === nonce && authorization.from === from) {
          change(authorization, { status: 'used', txHash }, true)
        } else if (authorization.intentId === intentId && authorization.status === 'in_flight') {
          const intent = intents.get(intentId)
          const isNeedless = intent && isPaid(intent)
          if (isNeedless) change(authorization, { status: 'refused', reason: 'intent_paid' }, true)
        }
      }
    },

    revert({ from, txHash }: RecordedTransfer): void {
      for (const authorization of all()) {
        if (
          authorization.txHash !== txHash ||
          authorization.from !== from ||
          authorization.status !== 'used'
        )
          continue
        const open = isInFlight(authorization.intentId) ? 'refused' : 'in_flight'
        change(
          authorization,
          { status: authorization.validBefore > seconds() ? open : 'expired' },
          true,
        )
      }
    },

    /** Expires authorizations by the chain's clock. @param before the intents before this poll */
    expire(before: ReadonlyMap<string, Intent>): void {
      for (const authorization of all()) {
        if (authorization.status !== 'in_flight' || authorization.validBefore > seconds()) continue
        change(
          authorization,
          { status: 'expired' },
          before.get(authorization.intentId) !== intents.get(authorization.intentId),
        )
      }
    },
  }
}

function keyOf({ chainId, from, nonce }: AuthorizationNonce): string {
  return `${chainId}:${from}:${nonce}`
}
