import { type Chain, chains as networks } from '@payment-intents/contract'
import { type CreditedTransfer, type Intent, movesMoney } from '@payment-intents/core'
import type { Authorizations } from './authorizations.ts'
import { ofEachChain } from './merchant.ts'
import type { Payout } from './refunds/payouts.ts'
import { createRefunds } from './refunds/refunds.ts'
import type { Payment } from './store/bindPayment.ts'
import { receive } from './store/receive.ts'
import type { RecordedTransfer, Records } from './store/records.ts'

export type VirtualChain = ReturnType<typeof createChain>

const firstBlock = 1_000

/** The chains that the service follows, in memory. Each block is read as soon as it is made. */
export function createChain(records: Records, authorizations: Authorizations) {
  const { merchant, intents, transfers, clock, seconds, apply, waitedFor, notify } = records
  const heads = ofEachChain(() => firstBlock)
  const refunds = createRefunds(records, (chain) => heads[chain])

  /** Applies the newest block to every intent, as each poll of the chain does. */
  function readHead(chain: Chain): void {
    // Every transfer here is on the canonical chain.
    const proven = new Set(transfers.keys())
    const blockNumber = BigInt(heads[chain])
    const head = { type: 'head', blockNumber, timestamp: seconds(), proven } as const
    const before = new Map(intents)
    for (const intent of intents.values()) {
      if (intent.chain === chain) records.apply(intent.id, head)
    }
    authorizations.expire(before)
    refunds.readHead(chain)
    notify()
  }

  /** Puts a transfer into the newest block. */
  function record(payment: Payment): string {
    const id = receive(records, payment, BigInt(heads[payment.chain]))
    const transfer = transfers.get(id)
    if (transfer) authorizations.paid(transfer, payment.authorizationNonce)
    return id
  }

  function mine(chain: Chain, blocks: number): void {
    for (let mined = 0; mined < blocks; mined += 1) {
      heads[chain] += 1
      for (const payment of authorizations.due({ chain })) record(payment)
      refunds.settleSigned(chain)
      readHead(chain)
    }
  }

  return {
    ...{ readHead, mine, refunds },
    /** Makes a transfer of the merchant in a new block. Returns its hash. */
    payOut(payout: Payout): string {
      heads[payout.chain] += 1
      const { txHash } = refunds.pay(payout)
      readHead(payout.chain)
      return txHash
    },

    /** Confirmations of a transfer: 1 in the newest block. */
    depthOf: ({ chain }: Intent, { blockNumber }: CreditedTransfer) =>
      heads[chain] - Number(blockNumber) + 1,

    /** Makes a transfer in a new block; null if no intent waits for a transfer to that wallet, or it moves no money. */
    transfer(payment: Payment): RecordedTransfer | null {
      const { chain, to } = payment
      if (!movesMoney(payment)) return null
      const waiting = waitedFor()
      // Wallets of the other chain are watched too, since payers confuse the chains.
      const isFollowed = waiting.some((intent) => intent.chain === chain)
      if (!isFollowed || !waiting.some(({ wallet }) => wallet === to)) return null
      heads[chain] += 1
      const id = record(payment)
      readHead(chain)
      return transfers.get(id) ?? null
    },

    /** Replaces the blocks from this block on by as many empty blocks. */
    reorg(chain: Chain, fromBlock: number): void {
      for (const transfer of transfers.values()) {
        const isAfter = transfer.blockNumber >= BigInt(fromBlock)
        if (transfer.chain !== chain || !isAfter || transfer.orphaned) continue
        transfers.set(transfer.id, { ...transfer, orphaned: true })
        if (transfer.intentId) {
          apply(transfer.intentId, { type: 'transfer_orphaned', transferId: transfer.id })
        }
        authorizations.revert(transfer)
      }
      refunds.reorg(chain, fromBlock)
      readHead(chain)
    },

    /** Advances the clock, then each chain by one block. */
    advance(milliseconds: number): void {
      clock.now += milliseconds
      for (const { chain, mode } of networks) if (mode === merchant.mode) mine(chain, 1)
    },
  }
}
