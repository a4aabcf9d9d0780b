import { type Address, chainFacts, windows } from '@payment-intents/contract'
import {
  type Actor,
  type ChangedRefund,
  presentInRefundEvent,
  type RefundCreation,
  type RefundStore,
} from '@payment-intents/core'
import { isRefundListed } from '../store/isListed.ts'
import { pageOf } from '../store/pageOf.ts'
import { changedRefund, type RefundRecords, roleOf, saveRefund, sourceOf } from './refundRecords.ts'

export type CreationRequest = Parameters<RefundStore['create']>[1]
export type DecideCreation = Parameters<RefundStore['create']>[2]
export type ChangeRequest = Parameters<RefundStore['underLock']>[1]
export type DecideChange = Parameters<RefundStore['underLock']>[2]

export function refundStore(records: RefundRecords): RefundStore {
  const { merchant, refunds } = records
  return {
    async find(_actor, id) {
      const refund = refunds.get(id)
      return refund
        ? { refund, source: sourceOf(records, refund, refund.confirmationsRequired) }
        : null
    },
    async findForPage(id) {
      const refund = refunds.get(id)
      if (!refund) return null
      const source = sourceOf(records, refund, refund.confirmationsRequired)
      return { refund, source, merchantName: merchant.name, support: merchant.support }
    },
    list: async (_actor, filter) =>
      pageOf([...refunds.values()].toReversed(), filter, (refund) =>
        isRefundListed(refund, filter),
      ),
    create: async (actor, request, decide) => createRefund(records, actor, request, decide),
    underLock: async (_actor, request, decide) => changeRefund(records, request, decide),
  }
}

export function createRefund(
  records: RefundRecords,
  { mode }: Pick<Actor, 'mode'>,
  { source: { type, id }, destination, idempotency }: CreationRequest,
  decide: DecideCreation,
): RefundCreation {
  const { merchant, intents, transfers, refundCreations, clock, notify } = records
  const before = idempotency && refundCreations.get(idempotency.key)
  if (before && clock.now - before.at < windows.idempotency * 1_000) {
    if (before.fingerprint !== idempotency.fingerprint) return { type: 'mismatch' }
    return { type: 'replayed', response: before.response, secretKey: '' }
  }
  const payment = type === 'payment_intent' ? intents.get(id) : transfers.get(id)
  if (!payment) return { type: 'not_found' }
  const { chain, chainId } = payment
  const key = {
    ...{ chain, chainId, mode, token: lower(chainFacts(mode, chain).usdc) },
    intentId: type === 'payment_intent' ? id : null,
    transferId: type === 'transfer' ? id : null,
  }
  const required =
    intents.get(id)?.confirmationsRequired ??
    merchant.confirmations[chain] ??
    merchant.serverConfirmations[chain]
  const refund = decide({
    ...key,
    source: sourceOf(records, key, required),
    transfer: transfers.get(id) ?? null,
    role: roleOf(records, destination ?? undefined),
  })
  const object = presentInRefundEvent(refund)
  if (idempotency) {
    refundCreations.set(idempotency.key, { ...idempotency, response: object, at: clock.now })
  }
  const created = { type: 'refund.created', sequence: 1, object } as const
  const events = saveRefund(records, { refund, events: [created] })
  notify()
  return { type: 'created', ...changedRefund(records, refund, events) }
}

export function changeRefund(
  records: RefundRecords,
  { id, address, authorization, transfers }: ChangeRequest,
  decide: DecideChange,
): ChangedRefund | null {
  const { refunds, signed, notify } = records
  const refund = refunds.get(id)
  if (!refund) return null
  const attachable = transfers?.find(({ txHash }) =>
    [...refunds.values()].every((other) => other.id === id || other.transfer?.txHash !== txHash),
  )
  const applied = decide({
    ...{ refund, source: sourceOf(records, refund, refund.confirmationsRequired) },
    attachable: attachable ? { ...attachable, id: `tr_${attachable.txHash.slice(2, 32)}` } : null,
    role: roleOf(records, address ?? attachable?.from),
    conflicting: authorization ? { promised: 0n, isCutOff: false } : null,
  })
  if (authorization) signed.set(id, authorization)
  const events = applied.changed ? saveRefund(records, applied) : []
  notify()
  return changedRefund(records, applied.refund, events)
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
