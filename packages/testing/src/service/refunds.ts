import { type Address, type Chain, chainFacts, windows } from '@payment-intents/contract'
import {
  type Actor,
  type AppliedToRefund,
  applyRefundFacts,
  type ChangedRefund,
  type ObservedTransfer,
  presentInRefundEvent,
  type ReceiptRefund,
  type Refund,
  type RefundAuthorization,
  type RefundCreation,
  type RefundFact,
  type RefundSource,
  type RefundStore,
  type WalletRole,
  type WrittenEvent,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { isRefundListed } from './store/filters.ts'
import { pageOf } from './store/pageOf.ts'
import type { RecordedEvent, Records } from './store/records.ts'

/** A transfer that the merchant makes, such as one that pays a refund. Addresses are lower-case. */
export type Payout = {
  readonly chain: Chain
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly nonce: Hex | null
}

export type Refunds = ReturnType<typeof createRefunds>

/** The merchant's refunds, and the transfers that pay them. */
export function createRefunds(records: Records, headOf: (chain: Chain) => number) {
  const { merchant, intents, transfers, refunds, ids, clock, seconds } = records
  /** The signature of each refund that was submitted last. */
  const signed = new Map<string, RefundAuthorization>()
  const payouts = new Map<Hex, ObservedTransfer & { readonly chain: Chain }>()
  const kept = new Map<string, { fingerprint: string; response: string; at: number }>()
  const all = () => [...refunds.values()]

  function sourceOf(
    refund: Pick<Refund, 'intentId' | 'transferId' | 'chain'>,
    required: number,
  ): RefundSource {
    const { intentId, transferId, chain } = refund
    return {
      transfers: [...transfers.values()].filter(({ id, intentId: creditedTo, orphaned }) => {
        return !orphaned && (intentId === null ? id === transferId : creditedTo === intentId)
      }),
      confirmationsRequired: required,
      head: BigInt(headOf(chain)),
      refunds: all().filter((one) => one.intentId === intentId && one.transferId === transferId),
    }
  }

  function roleOf(address: Address | undefined): WalletRole {
    if (address === undefined) return 'foreign'
    const registered = [...Object.values(merchant.wallets), ...merchant.refundWallets]
    if (registered.includes(address)) return 'registered'
    return [...intents.values()].some(({ wallet }) => wallet === address) ? 'own' : 'foreign'
  }

  /** Writes what facts did to a refund, and how its intent looks then. */
  function save({ refund, events }: Pick<AppliedToRefund, 'refund' | 'events'>): RecordedEvent[] {
    refunds.set(refund.id, refund)
    const intent = intents.get(refund.intentId ?? '')
    if (intent) {
      const of = (isOf: (status: Refund['status']) => boolean) =>
        all()
          .filter((one) => one.intentId === intent.id && isOf(one.status))
          .reduce((sum, { amount }) => sum + amount, 0n)
      intents.set(intent.id, {
        ...{ ...intent, version: intent.version + 1 },
        refunded: of((status) => status === 'succeeded'),
        refunding: of((status) => status !== 'succeeded' && status !== 'canceled'),
      })
    }
    return events.map((event) => records.write(event, null))
  }

  function apply(refund: Refund, ...facts: RefundFact[]): void {
    const applied = applyRefundFacts(refund, facts)
    if (applied.changed) save(applied)
  }

  function written(refund: Refund, events: readonly RecordedEvent[]): ChangedRefund {
    const { merchantId, mode } = refund
    return {
      refund,
      source: sourceOf(refund, refund.confirmationsRequired),
      events: events.map((event): WrittenEvent => {
        return { ...event, merchantId, mode, intentId: null, transferId: null, refundId: refund.id }
      }),
    }
  }

  const store: RefundStore = {
    async find(_actor, id) {
      const refund = refunds.get(id)
      return refund ? { refund, source: sourceOf(refund, refund.confirmationsRequired) } : null
    },
    async findForPage(id) {
      const refund = refunds.get(id)
      if (!refund) return null
      const source = sourceOf(refund, refund.confirmationsRequired)
      return { refund, source, merchantName: merchant.name, support: merchant.support }
    },
    list: async (_actor, filter) =>
      pageOf(all().toReversed(), filter, (refund) => isRefundListed(refund, filter)),
    create: async (actor, request, decide) => create(actor, request, decide),
    underLock: async (_actor, request, decide) => change(request, decide),
  }

  function create(
    { mode }: Pick<Actor, 'mode'>,
    { source: { type, id }, destination, idempotency }: Parameters<RefundStore['create']>[1],
    decide: Parameters<RefundStore['create']>[2],
  ): RefundCreation {
    const before = idempotency && kept.get(idempotency.key)
    if (before && clock.now - before.at < windows.idempotency * 1_000) {
      if (before.fingerprint !== idempotency.fingerprint) return { type: 'mismatch' }
      return { type: 'replayed', response: before.response, secretKey: '' }
    }
    const found = type === 'payment_intent' ? intents.get(id) : transfers.get(id)
    if (!found) return { type: 'not_found' }
    const { chain, chainId } = found
    const key = {
      ...{ chain, chainId, mode, token: lower(chainFacts(mode, chain).usdc) },
      intentId: type === 'payment_intent' ? id : null,
      transferId: type === 'transfer' ? id : null,
    }
    const required = intents.get(id)?.confirmationsRequired ?? merchant.confirmations[chain]
    const source = sourceOf(key, required)
    const transfer = transfers.get(id) ?? null
    const role = roleOf(destination ?? undefined)
    const refund = decide({ ...key, source, transfer, role })
    const object = presentInRefundEvent(refund)
    if (idempotency) kept.set(idempotency.key, { ...idempotency, response: object, at: clock.now })
    const events = save({ refund, events: [{ type: 'refund.created', sequence: 1, object }] })
    records.tell()
    return { type: 'created', ...written(refund, events) }
  }

  function change(
    { id, address, authorization, transfers: given }: Parameters<RefundStore['underLock']>[1],
    decide: Parameters<RefundStore['underLock']>[2],
  ): ChangedRefund | null {
    const refund = refunds.get(id)
    if (!refund) return null
    const attachable = given?.find(({ txHash }) =>
      all().every((one) => one.id === id || one.transfer?.txHash !== txHash),
    )
    const applied = decide({
      ...{ refund, source: sourceOf(refund, refund.confirmationsRequired) },
      attachable: attachable ? { ...attachable, id: `tr_${attachable.txHash.slice(2, 32)}` } : null,
      role: roleOf(address ?? attachable?.from),
      conflicting: authorization ? { promised: 0n, isCutOff: false } : null,
    })
    if (authorization) signed.set(id, authorization)
    const events = applied.changed ? save(applied) : []
    records.tell()
    return written(applied.refund, events)
  }

  /** Every transfer here is on the canonical chain. */
  function head(chain: Chain, transferId: string | undefined): RefundFact {
    const proven = new Set(transferId === undefined ? [] : [transferId])
    return { type: 'head', blockNumber: BigInt(headOf(chain)), proven }
  }

  function pay({ chain, ...payout }: Payout): ObservedTransfer {
    const { chainId, usdc } = chainFacts(merchant.mode, chain)
    const transfer = {
      ...payout,
      ...{ chainId, chain, token: lower(usdc), txHash: ids.hash(), blockHash: ids.hash() },
      ...{ blockNumber: BigInt(headOf(chain)), blockTimestamp: seconds() },
      ...{ logIndex: payout.nonce ? 1 : 0, authorizationNonce: payout.nonce },
    }
    payouts.set(transfer.txHash, transfer)
    return transfer
  }

  return {
    ...{ store, create, change },
    pay,
    readTransaction: async (txHash: Hex) => {
      const payout = payouts.get(txHash)
      return payout ? [payout] : ('unknown' as const)
    },
    /** Those of an intent that its receipt may list, the oldest first. */
    refundsOf: (intentId: string): ReceiptRefund[] =>
      all()
        .filter((refund) => refund.intentId === intentId)
        .map((refund) => ({ ...refund, txHash: refund.transfer?.txHash ?? null })),
    isRefunded: (transferId: string) =>
      all().some((one) => one.transferId === transferId && one.status !== 'canceled'),

    /** Puts what was signed into the newest block of a chain. */
    settleSigned(chain: Chain): void {
      for (const [id, { from, to, validBefore }] of signed) {
        const refund = refunds.get(id)
        if (refund?.chain !== chain || !refund.isSigned || validBefore <= seconds()) continue
        const { amount, reference: nonce } = refund
        const paid = pay({ chain, from, to, amount, nonce })
        const transfer = { ...paid, id: ids.next('tr', clock.now) }
        apply(
          { ...refund, isSigned: false },
          { type: 'transfer_seen', transfer },
          head(chain, transfer.id),
        )
      }
    },

    /** Counts confirmations by the newest block of a chain, and ends signatures whose time is over. */
    readHead(chain: Chain): void {
      for (const refund of all()) {
        if (refund.chain !== chain) continue
        const validBefore = signed.get(refund.id)?.validBefore ?? 0
        const isSigned = refund.isSigned && validBefore > seconds()
        apply({ ...refund, isSigned }, head(chain, refund.transfer?.id))
      }
    },

    /** Takes back what is in these blocks. A signature that is still valid is broadcast again. */
    reorg(chain: Chain, fromBlock: number): void {
      for (const [txHash, payout] of payouts) {
        if (payout.chain === chain && payout.blockNumber >= BigInt(fromBlock))
          payouts.delete(txHash)
      }
      for (const refund of all()) {
        const { transfer } = refund
        if (refund.chain !== chain || !transfer || transfer.blockNumber < BigInt(fromBlock))
          continue
        const validBefore = signed.get(refund.id)?.validBefore ?? 0
        const isSigned = refund.attachedTxHash === null && validBefore > seconds()
        apply({ ...refund, isSigned }, { type: 'transfer_orphaned', transferId: transfer.id })
      }
    },
  }
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
