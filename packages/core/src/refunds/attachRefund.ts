import type { Hex } from 'viem'
import { conflict, internalError, notFoundError } from '../http/httpError.ts'
import type { Handler } from '../service.ts'
import { movesMoney } from '../transfers/observedTransaction.ts'
import type { Refund } from './refund.ts'
import { applyOrRefuse, respondWith } from './refundActions.ts'
import type { ObservedTransfer } from './store.ts'

/**
 * A transfer counts although its block is dated up to this much before the refund. The service knows the chain's clock
 * to five seconds and reads it every two, and a block's timestamp may be two seconds older than its newest transaction.
 */
const clockToleranceMs = 10_000

/**
 * Attaches a transfer that was made elsewhere as a refund's payment. Reads the chain before it locks anything; decides
 * under the lock that no other refund has the transfer.
 */
export const attachRefund: Handler<'attachRefund'> = async (service, { actor, id, body }) => {
  const stored = await service.store.refunds.find(actor, id)
  if (!stored) throw notFoundError('refund')
  const { refund } = stored
  const txHash = body.tx_hash as Hex
  const transaction = await service.readTransaction(refund.chainId, txHash)
  if (transaction === null) throw internalError()
  if (transaction === 'unknown') throw notMined(refund, txHash)
  const transfers = transaction.filter((transfer) => pays(refund, transfer))
  const request = { id, transfers }
  const changed = await service.store.refunds.underLock(actor, request, (locked) => {
    if (transfers.length === 0) throw mismatch(refund)
    const { attachable } = locked
    if (attachable === 'unread') throw notMined(refund, txHash)
    if (!attachable)
      throw conflict(
        'transfer_used',
        'The transfer pays another refund already: attach the transfer of this refund.',
      )
    // The destination may have been replaced meanwhile.
    if (!pays(locked.refund, attachable)) throw mismatch(locked.refund)
    // The submitted signature decides, regardless of who sent it to the chain.
    if (locked.refund.isSigned && isBySignature(locked.refund, attachable)) {
      return applyOrRefuse(locked.refund, { type: 'transfer_seen', transfer: attachable })
    }
    const isFromVerified = locked.role === 'registered'
    return applyOrRefuse(locked.refund, { type: 'attached', transfer: attachable, isFromVerified })
  })
  return respondWith(service, changed)
}

function pays(refund: Refund, transfer: ObservedTransfer): boolean {
  return (
    movesMoney(transfer) &&
    transfer.token === refund.token &&
    transfer.to === refund.destination &&
    transfer.amount === refund.amount &&
    transfer.blockTimestamp * 1000 >= refund.createdAt - clockToleranceMs
  )
}

function isBySignature({ reference, from }: Refund, transfer: ObservedTransfer): boolean {
  return transfer.authorizationNonce === reference && transfer.from === from
}

function notMined({ chain }: Refund, txHash: Hex) {
  const message = `The service has read no block of ${chain} with ${txHash} yet: attach it some seconds after it is mined.`
  return conflict('transaction_not_found', message)
}

function mismatch({ amount, destination }: Refund) {
  const message = `The transaction holds no USDC transfer of exactly ${amount} units to ${destination}, mined after the refund was created.`
  return conflict('transfer_mismatch', message)
}
