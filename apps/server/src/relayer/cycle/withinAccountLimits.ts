import { maxReverts, type Reverts } from '../../store/relaying/reverts.ts'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import { maxOfAccount } from '../../store/relaying/waitingAuthorizations.ts'
import type { Ready } from './withinBudget.ts'

/**
 * The maximum number of authorizations in pending transactions, for an account and for all accounts with the same code.
 */
const maxPending = { account: maxOfAccount, codeHash: 20 } as const
/** The maximum numbers after a recent revert. */
const maxPendingAfterRevert = { account: 1, codeHash: 2 } as const

/**
 * Selects the authorizations within the limits of their account and its code, in the order of `ready`. The others wait.
 * So an account whose calls pass the simulation and revert on the chain costs a bounded amount of gas, and so do many
 * accounts with the same code.
 */
export function withinAccountLimits(
  ready: readonly Ready[],
  { outstanding, reverts }: { outstanding: readonly Outstanding[]; reverts: Reverts },
): Ready[] {
  const { byAccount, byCodeHash } = pendingOf(outstanding)
  const allowed: Ready[] = []
  for (const item of ready) {
    const { codeHash } = item
    const { authorizer } = item.waiting
    const ofAccount = byAccount.get(authorizer)?.size ?? 0
    if (ofAccount >= limitOf('account', reverts.byAccount.get(authorizer) ?? 0)) continue
    if (codeHash !== null) {
      const ofCode = byCodeHash.get(codeHash)?.size ?? 0
      if (ofCode >= limitOf('codeHash', reverts.byCodeHash.get(codeHash) ?? 0)) continue
      add(byCodeHash, codeHash, item.waiting.id)
    }
    add(byAccount, authorizer, item.waiting.id)
    allowed.push(item)
  }
  return allowed
}

/** The accounts whose payments reverted too often: for now, nothing is broadcast for them. */
export function cutOffAccounts({ byAccount }: Reverts): string[] {
  return [...byAccount].flatMap(([account, count]) =>
    count >= maxReverts.account ? [account] : [],
  )
}

function limitOf(kind: keyof typeof maxPending, reverts: number): number {
  if (reverts >= maxReverts[kind]) return 0
  return reverts > 0 ? maxPendingAfterRevert[kind] : maxPending[kind]
}

/** The ids of authorizations in pending transactions. */
function pendingOf(outstanding: readonly Outstanding[]) {
  const byAccount = new Map<string, Set<string>>()
  const byCodeHash = new Map<string, Set<string>>()
  for (const { state, authorization, codeHash } of outstanding) {
    if (state !== 'pending' || !authorization) continue
    add(byAccount, authorization.authorizer, authorization.id)
    if (codeHash !== null) add(byCodeHash, codeHash, authorization.id)
  }
  return { byAccount, byCodeHash }
}

function add(to: Map<string, Set<string>>, key: string, id: string): void {
  const ids = to.get(key) ?? new Set()
  to.set(key, ids.add(id))
}
