import { createHash } from 'node:crypto'
import {
  type AuthorizationSubmission,
  type PreviewAuthorization,
  previewAuthorization,
  type Service,
  type UnfitAuthorization,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { boundedMap } from '../../lib/boundedMap.ts'
import type { Db } from '../connection/connect.ts'
import { findConflicting } from './authorizations.ts'

/** The amounts of an account's previewed authorizations for intents that are being created, by nonce. */
type Shown = Map<Hex, { readonly value: bigint; readonly until: number }>

/** The creator of an intent for a payment submits the payment at once. */
const shownMs = 30_000
const accounts = 10_000
/** How long a refusal is repeated without a request to the chain. */
const refusedMs = 5_000

/**
 * Says whether a payment would be accepted for an intent before the intent is stored, so that worthless payments create
 * no intents.
 *
 * The units of a previewed authorization count as promised until it is submitted, or for half a minute: with the USDC
 * for one payment, a stranger has one intent created in that time, however many messages they sign.
 * @param now milliseconds of any clock that only goes forward
 */
export function createPreviewAuthorization(db: Db, now: () => number) {
  const shownBy = boundedMap<Shown>(accounts)
  const refusals = boundedMap<{ readonly refusal: UnfitAuthorization; readonly until: number }>(
    accounts,
  )

  return async (
    service: Parameters<typeof previewAuthorization>[0],
    submission: AuthorizationSubmission,
    withSlot: <Result>(work: () => Promise<Result>) => Promise<Result>,
  ): ReturnType<PreviewAuthorization> => {
    const key = keyOf(submission)
    const before = refusals.get(key)
    if (before && before.until > now()) return before.refusal
    const preview = await previewInDatabase(service, submission, withSlot)
    // The merchant, too, decides whether anything is relayed; that is known without the chain.
    if (preview.type === 'refused' && preview.reason !== 'gasless_unavailable') {
      refusals.set(key, { refusal: preview, until: now() + refusedMs })
    }
    return preview
  }

  function shownOf(account: string): Shown {
    const shown = shownBy.get(account) ?? new Map()
    for (const [nonce, { until }] of shown) if (until <= now()) shown.delete(nonce)
    return shown
  }

  function previewInDatabase(
    service: Pick<Service, 'store' | 'clock' | 'gasless' | 'inspectTransfer' | 'newId'>,
    submission: AuthorizationSubmission,
    withSlot: <Result>(work: () => Promise<Result>) => Promise<Result>,
  ): ReturnType<PreviewAuthorization> {
    return previewAuthorization(
      service,
      submission,
      async (authorization) => {
        const account = `${authorization.chainId}:${authorization.from}`
        const conflicting = await withSlot(() => {
          const nonces = shownBy.get(account)?.keys() ?? []
          return findConflicting(db.pool, authorization, [...nonces])
        })
        return () => {
          const shown = shownOf(account)
          // Submitted units already count as promised, by the same snapshot.
          for (const nonce of conflicting.submitted) shown.delete(nonce)
          const others = sumOfOthers(shown, authorization.nonce)
          return { ...conflicting, promised: conflicting.promised + others }
        }
      },
      ({ chainId, from, nonce, value }) => {
        const account = `${chainId}:${from}`
        shownBy.set(account, shownOf(account).set(nonce, { value, until: now() + shownMs }))
      },
    )
  }
}

/** Every signed field, so that a changed copy of somebody's payment refuses only itself. */
function keyOf({ intent, authorization, signature }: AuthorizationSubmission): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = [intent.chainId, from, to, value, validAfter, validBefore, nonce, signature]
  // An account's code accepts signatures of any length.
  return createHash('sha256').update(signed.join(':').toLowerCase()).digest('base64')
}

/** The units of all nonces but this, which a repeated request previews again. */
function sumOfOthers(shown: Shown, except: Hex): bigint {
  let sum = 0n
  for (const [nonce, { value }] of shown) if (nonce !== except) sum += value
  return sum
}
