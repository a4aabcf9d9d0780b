import { maxReverts, type Reverts } from '../../store/relaying/reverts.ts'
import type { Outstanding } from '../../store/relaying/transactions.ts'
import { maxOfAccount } from '../../store/relaying/waiting.ts'
import type { Ready } from './withinBudget.ts'

/** Authorizations that may be in transactions which are not mined, of one account and of all accounts with one code. */
const maxPending = { account: maxOfAccount, codeHash: 20 } as const
/** The same once a transaction was reverted lately. */
const maxPendingAfterRevert = { account: 1, codeHash: 2 } as const

/**
 * The authorizations that their account and its code may have in flight, in the order of `ready`. The others
 * wait. So an account whose submissions pass the simulation and revert on chain costs a bounded amount of gas,
 * also as many accounts with one code.
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

/** Accounts for which nothing is broadcast for now. */
export function cutOffAccounts({ byAccount }: Reverts): string[] {
  return [...byAccount].flatMap(([account, count]) =>
    count >= maxReverts.account ? [account] : [],
  )
}

function limitOf(kind: keyof typeof maxPending, reverts: number): number {
  if (reverts >= maxReverts[kind]) return 0
  return reverts > 0 ? maxPendingAfterRevert[kind] : maxPending[kind]
}

/** Authorizations in transactions that are not mined. */
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
