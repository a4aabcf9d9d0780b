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

/** The amounts of an account's previewed authorizations that were not submitted yet, by nonce. */
type PreviewedAmounts = Map<Hex, { readonly value: bigint; readonly until: number }>

/** More than enough: the creator of an intent submits its payment at once. */
const previewedForMs = 30_000
const maxEntries = 10_000
/** The time for which a refusal is repeated without a request to the chain. */
const refusedForMs = 5_000

/**
 * Decides before an intent is stored whether its payment would be accepted, so that worthless payments create no
 * intents.
 *
 * The units of a previewed authorization count as promised until it is submitted, or for half a minute. So with USDC
 * for a single payment, a stranger creates a single intent in that time, no matter how many messages they sign.
 * @param now milliseconds of any clock that only goes forward
 */
export function createPreviewAuthorization(db: Db, now: () => number) {
  const previewedBy = boundedMap<PreviewedAmounts>(maxEntries)
  const refusals = boundedMap<{ readonly refusal: UnfitAuthorization; readonly until: number }>(
    maxEntries,
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
    // `gasless_unavailable` may depend on the merchant, whom the key omits, and needs no request to the chain.
    if (preview.type === 'refused' && preview.reason !== 'gasless_unavailable') {
      refusals.set(key, { refusal: preview, until: now() + refusedForMs })
    }
    return preview
  }

  function previewedOf(account: string): PreviewedAmounts {
    const previewed = previewedBy.get(account) ?? new Map()
    for (const [nonce, { until }] of previewed) if (until <= now()) previewed.delete(nonce)
    return previewed
  }

  function previewInDatabase(
    service: Pick<Service, 'store' | 'clock' | 'gasless' | 'simulateTransfer' | 'newId'>,
    submission: AuthorizationSubmission,
    withSlot: <Result>(work: () => Promise<Result>) => Promise<Result>,
  ): ReturnType<PreviewAuthorization> {
    return previewAuthorization(
      service,
      submission,
      async (authorization) => {
        const account = `${authorization.chainId}:${authorization.from}`
        const conflicting = await withSlot(() => {
          const nonces = previewedBy.get(account)?.keys() ?? []
          return findConflicting(db.pool, authorization, [...nonces])
        })
        return () => {
          const previewed = previewedOf(account)
          // The same snapshot already counts submitted units as promised.
          for (const nonce of conflicting.submitted) previewed.delete(nonce)
          const others = sumOfOthers(previewed, authorization.nonce)
          return { ...conflicting, promised: conflicting.promised + others }
        }
      },
      ({ chainId, from, nonce, value }) => {
        const account = `${chainId}:${from}`
        const until = now() + previewedForMs
        previewedBy.set(account, previewedOf(account).set(nonce, { value, until }))
      },
    )
  }
}

/** The key covers every signed field, so that a refused copy of somebody's payment refuses only itself. */
function keyOf({ intent, authorization, signature }: AuthorizationSubmission): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = [intent.chainId, from, to, value, validAfter, validBefore, nonce, signature]
  // Hash: an account's code accepts signatures of any length.
  return createHash('sha256').update(signed.join(':').toLowerCase()).digest('base64')
}

/** The units of all other nonces: a repeated request previews its own nonce again. */
function sumOfOthers(previewed: PreviewedAmounts, except: Hex): bigint {
  let sum = 0n
  for (const [nonce, { value }] of previewed) if (nonce !== except) sum += value
  return sum
}
