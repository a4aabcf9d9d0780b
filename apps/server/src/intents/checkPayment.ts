import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { boundedMap } from '../boundedMap.ts'
import { type Beside, findBeside } from '../db/authorizations/authorizations.ts'
import {
  type ExamineContext,
  type Examined,
  examineAuthorization,
  type HandedIn,
  refusalOf,
  type Unfit,
} from './examineAuthorization.ts'

/** What an account has shown for an intent that is being created, by nonce. */
type Shown = Map<Hex, { readonly value: bigint; readonly until: number }>

/** Who creates an intent for a payment hands the payment in at once. */
const shownMs = 30_000
const accounts = 10_000
/** For how long a refusal is answered again without asking the chain. */
const refusedMs = 5_000

/**
 * Says whether a payment would be taken for an intent before the intent is stored, so that payments which are worth
 * nothing make no intents.
 *
 * What an account shows counts as promised until it is handed in, or for half a minute: with the USDC for one payment, a
 * stranger has one intent created in that time, however many messages he signs.
 *
 * @param now milliseconds of any clock that only goes forward
 */
export function createCheckPayment(now: () => number) {
  const shownBy = boundedMap<Shown>(accounts)
  const refusals = boundedMap<{ readonly refusal: Unfit; readonly until: number }>(accounts)

  return async function checkPayment(
    context: ExamineContext,
    handedIn: HandedIn,
  ): Promise<{ type: 'fitting' } | Unfit> {
    const key = keyOf(handedIn)
    const before = refusals.get(key)
    if (before && before.until > now()) return before.refusal
    const checked = await check(context, handedIn)
    // Whether anything is relayed depends on the merchant too, and is known without the chain.
    if (checked.type === 'refused' && checked.reason !== 'gasless_unavailable') {
      refusals.set(key, { refusal: checked, until: now() + refusedMs })
    }
    return checked
  }

  async function check(
    context: ExamineContext,
    handedIn: HandedIn,
  ): Promise<{ type: 'fitting' } | Unfit> {
    const examined = await examineAuthorization(context, handedIn)
    if (examined.type === 'known') return { type: 'fitting' }
    if (examined.type !== 'examined') return examined
    const { row, simulation } = examined
    const account = `${row.chainId}:${row.from}`
    const beside = await context.inTurn(() => {
      const nonces = shownBy.get(account)?.keys() ?? []
      return findBeside(context.db.pool, { ...row, codeHash: simulation.codeHash }, [...nonces])
    })
    const shown = shownBy.get(account) ?? new Map()
    for (const [nonce, { until }] of shown) if (until <= now()) shown.delete(nonce)
    // What was handed in counts as promised, by the same snapshot.
    for (const nonce of beside.handedIn) shown.delete(nonce)
    const refusal = refusalOf(examined, besideShown(beside, shown, examined))
    if (refusal) return refusal
    shownBy.set(account, shown)
    shown.set(row.nonce, { value: row.value, until: now() + shownMs })
    return { type: 'fitting' }
  }
}

/** All that is signed, so that a changed copy of somebody's payment refuses only itself. */
function keyOf({ intent, authorization, signature }: HandedIn): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const signed = [intent.chainId, from, to, value, validAfter, validBefore, nonce, signature]
  // An account's code takes signatures of any length.
  return createHash('sha256').update(signed.join(':').toLowerCase()).digest('base64')
}

function besideShown(beside: Beside, shown: Shown, { row }: Examined): Beside {
  return { ...beside, promised: beside.promised + sumBeside(shown, row.nonce) }
}

/** Of all but one nonce, which a request that is repeated shows again. */
function sumBeside(shown: Shown, except: Hex): bigint {
  let sum = 0n
  for (const [nonce, { value }] of shown) if (nonce !== except) sum += value
  return sum
}
