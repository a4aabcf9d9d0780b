import type {
  Actor,
  AppliedToRefund,
  ChangedRefund,
  LockedRefund,
  ObservedTransfer,
  Refund,
  RefundStore,
} from '@payment-intents/core'
import { lockAuthorizer } from '../authorizations/authorizations.ts'
import {
  findRefundConflicts,
  storeRefundAuthorization,
} from '../authorizations/refundAuthorizations.ts'
import { isWatchedTopic } from '../chains/watchedTopics.ts'
import { type Db, type Queryable, transaction } from '../connection/connect.ts'
import { newId } from '../lists/ids.ts'
import { attachTransfer, findAttachable } from '../transfers/attach.ts'
import { writeRefundChanges } from './changeRefunds.ts'
import { lockSource } from './lockSource.ts'
import { findRefunds, findSource, findWalletRole, lockRefunds, watchRefund } from './refunds.ts'

type Request = Parameters<RefundStore['underLock']>[1]

/** Locks a refund and its source, and writes the decision. */
export function underRefundLock(
  db: Db,
  clock: (chainId: number) => { readonly now: number },
  request: {
    readonly actor: Actor
    readonly request: Request
    readonly decide: (locked: LockedRefund) => AppliedToRefund
  },
): Promise<ChangedRefund | null> {
  const { actor, decide } = request
  const { id, address, authorization, transfers } = request.request
  return transaction(db, async (client) => {
    const before = await findOfActor(client, actor, id)
    if (!before) return null
    await lockSource(client, before)
    const [refund] = await lockRefunds(client, [id])
    if (!refund) return null
    if (authorization) await lockAuthorizer(client, authorization)
    const source = await findSource(client, refund)
    const now = clock(refund.chainId).now
    const attachable = transfers ? await findFirstFree(client, refund, transfers, now) : null
    const paying = attachable === 'unread' ? null : attachable
    const destination = address ?? paying?.from
    const { intentId } = refund
    const applied = decide({
      ...{ refund, source, attachable },
      role: destination
        ? await findWalletRole(client, actor, { address: destination, intentId })
        : 'foreign',
      conflicting: authorization ? await findRefundConflicts(client, authorization) : null,
    })
    if (authorization) await storeRefundAuthorization(client, authorization)
    const { chainId } = refund
    if (paying) await attachTransfer(client, { ...paying, refundId: id, chainId })
    if (authorization || paying) {
      const from = Math.max(Math.floor(now / 1000), authorization?.validBefore ?? 0)
      await watchRefund(client, refund, { now, from })
    }
    const events = await writeRefundChanges(client, [applied], now)
    const refunds = source.refunds.map((pick) => (pick.id === id ? applied.refund : pick))
    return { refund: applied.refund, source: { ...source, refunds }, events }
  })
}

async function findOfActor(client: Queryable, actor: Actor, id: string): Promise<Refund | null> {
  const [refund] = await findRefunds(client, [id])
  const isOfActor = refund?.merchantId === actor.merchantId && refund.mode === actor.mode
  return isOfActor ? refund : null
}

/**
 * Finds the first transfer that pays no other refund. `unread`: a transfer to a watched wallet is not stored yet, so
 * the follower has to read it first.
 */
async function findFirstFree(
  client: Queryable,
  { id, chainId }: Refund,
  transfers: readonly ObservedTransfer[],
  now: number,
): Promise<LockedRefund['attachable']> {
  const rows = await findAttachable(client, chainId, transfers)
  for (const transfer of transfers) {
    const row = rows.get(`${transfer.txHash}:${transfer.logIndex}`)
    if (!row && (await isWatchedTopic(client, chainId, transfer.to))) return 'unread'
    if (!row) return { ...transfer, id: newId('tr', now) }
    if (row.refundId === null || row.refundId === id) return { ...transfer, id: row.id }
  }
  return null
}
