import type { Mode } from '@payment-intents/contract'
import type { RefundStore } from '@payment-intents/core'
import { type Db, onlyRow } from '../connection/connect.ts'
import { createRefund } from './createRefund.ts'
import { listRefunds } from './listRefunds.ts'
import { findRefunds, findSource } from './refunds.ts'
import { underRefundLock } from './underRefundLock.ts'

/** Creates the store of refunds in PostgreSQL. */
export function createRefundStore(context: {
  readonly db: Db
  readonly clock: (chainId: number) => { readonly now: number }
  /** `confirmations_required` of each chain that is followed in a mode. */
  readonly confirmations: (mode: Mode) => { readonly [chain: string]: number | undefined }
}): RefundStore {
  const { db, clock, confirmations } = context
  return {
    async find({ merchantId, mode }, id) {
      const [refund] = await findRefunds(db.pool, [id])
      if (refund?.merchantId !== merchantId || refund.mode !== mode) return null
      return { refund, source: await findSource(db.pool, refund) }
    },
    async findForPage(id) {
      const [refund] = await findRefunds(db.pool, [id])
      if (!refund) return null
      const { merchantId } = refund
      const { name, support } = onlyRow(
        await db.pool.query<{ name: string; support: string | null }>({
          name: 'find-merchant-of-refund',
          text: 'select name, support from merchants where id = $1',
          values: [merchantId],
        }),
      )
      const source = await findSource(db.pool, refund)
      return { refund, source, merchantName: name, support }
    },
    list: (actor, filter) => listRefunds(db.pool, actor, filter),
    create: (actor, request, decide) => createRefund(db, { confirmations, actor, request, decide }),
    underLock: (actor, request, decide) => underRefundLock(db, clock, { actor, request, decide }),
  }
}
