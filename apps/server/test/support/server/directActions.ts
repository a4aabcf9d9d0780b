import {
  type ActionResult,
  type Actor,
  type AuthorizationSubmission,
  accept,
  assign,
  cancel,
  type Gasless,
  type SimulateTransfer,
  type SubmittedAuthorization,
  submitAuthorization,
} from '@payment-intents/core'
import { limitedAuthorizations } from '../../../src/createStore.ts'
import type { Db } from '../../../src/store/connection/connect.ts'
import { newId } from '../../../src/store/lists/ids.ts'
import { underLock } from '../../../src/store/payment-intents/underLock.ts'

type Clock = (chainId: number) => { readonly now: number }

// These functions act as a merchant or a payer without HTTP.

export function cancelIntent(
  db: Db,
  actor: Actor,
  id: string,
  clock: Clock,
): Promise<ActionResult> {
  return underLock(db, clock, {
    actor,
    ids: { intent: id },
    decide: (locked) => cancel(locked, id),
  })
}

export function acceptIntent(
  db: Db,
  actor: Actor,
  id: string,
  clock: Clock,
): Promise<ActionResult> {
  return underLock(db, clock, {
    actor,
    ids: { intent: id },
    decide: (locked) => accept(locked, id),
  })
}

export function assignTransfer(
  db: Db,
  actor: Actor,
  transfer: string,
  intent: string,
  clock: Clock,
): Promise<ActionResult> {
  const decide = (locked: Parameters<typeof assign>[0]) => assign(locked, intent)
  return underLock(db, clock, { actor, ids: { intent, transfer }, decide })
}

/** Creates the part of a service that accepts authorizations. */
export function authorizationService(
  db: Db,
  {
    simulateTransfer,
    clock = () => ({ now: Date.now() }),
    gasless = { isConfigured: () => true, isOffered: () => true },
  }: { simulateTransfer: SimulateTransfer; clock?: Clock; gasless?: Gasless },
): Parameters<typeof submitAuthorization>[0] {
  const store = { authorizations: limitedAuthorizations(db, (work) => work()) }
  const at = (chainId: number) => ({ earliest: 0, ...clock(chainId) })
  return { store: store as never, clock: at, gasless, simulateTransfer, newId }
}

export function submit(
  db: Db,
  options: Parameters<typeof authorizationService>[1],
  submission: AuthorizationSubmission,
): Promise<SubmittedAuthorization> {
  return submitAuthorization(authorizationService(db, options), submission)
}
