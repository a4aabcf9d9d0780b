import {
  type AppliedToRefund,
  applyFacts,
  applyRefundFacts,
  type BoundBy,
  type CreditedTransfer,
  type Fact,
  type Intent,
  type Merchant,
  newRefund,
  newTerms,
  type Refund,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import { randomBytes } from '../../../src/lib/crypto/randomBytes.ts'
import { type Db, transaction } from '../../../src/store/connection/connect.ts'
import { newId } from '../../../src/store/lists/ids.ts'
import { writeChanges } from '../../../src/store/payment-intents/changeIntents.ts'
import { createMarkOpened } from '../../../src/store/payment-intents/markOpened.ts'
import { lockIntents } from '../../../src/store/payment-intents/paymentIntents.ts'
import { createCreationStore } from '../../../src/store/payment-intents/storeCreations.ts'
import { writeRefundChanges } from '../../../src/store/refunds/changeRefunds.ts'
import { insertRefund } from '../../../src/store/refunds/refunds.ts'
import { insertTransfers, orphanTransfers } from '../../../src/store/transfers/transfers.ts'
import { testToken } from '../server/testServer.ts'

const chainId = 84532
const payer = `0x${'ab'.repeat(20)}` as const
const randomHash = () => `0x${randomBytes(32).toString('hex')}` as Hex
const seconds = (time: number) => Math.floor(time / 1_000)

/**
 * Writes what happens to a merchant's payments at any time, with the server's functions. Times are in Unix
 * milliseconds.
 */
export function paymentHistory(db: Db, merchant: Merchant) {
  const create = createCreationStore(db, Math.random)
  const markOpened = createMarkOpened(db)
  const refunds = new Map<string, Refund>()
  let block = 1n

  /** Applies the facts that `decide` returns to a locked intent. */
  function change(
    id: string,
    time: number,
    decide: (intent: Intent, client: Parameters<typeof lockIntents>[0]) => Promise<Fact[]>,
  ): Promise<void> {
    return transaction(db, async (client) => {
      const [intent] = await lockIntents(client, [id])
      if (!intent) return
      await writeChanges(client, [applyFacts(intent, await decide(intent, client))], time)
    })
  }

  /** The fact that all transfers are deep and proven. */
  function head({ transfers }: Pick<Intent, 'transfers'>, time: number): Fact {
    const proven = new Set(transfers.map((transfer) => transfer.id))
    return { type: 'head', blockNumber: block + 100n, timestamp: seconds(time), proven }
  }

  async function applyToRefund(applied: AppliedToRefund, time: number): Promise<void> {
    await transaction(db, (client) => writeRefundChanges(client, [applied], time))
    refunds.set(applied.refund.id, applied.refund)
  }

  return {
    async create(amount: number, time: number): Promise<string> {
      const terms = newTerms({ amount_units: amount }, '{}', merchant, {
        newId: (now) => newId('pi', now),
        salt: randomHash(),
        clock: () => time,
        confirmations: { base: 5 },
      })
      await create({
        ...{ terms, operation: 'createPaymentIntent', idempotency: null, namesWallet: false },
        ...{ reservesAmount: true, since: time, secretKey: 'of the test' },
      })
      return terms.id
    },

    open: (id: string, time: number) => markOpened({ id, time }, (work) => work()),

    /** Pays the price or a part of it, in a block at that time. */
    pay: (id: string, time: number, { part = 1, by = 'reference' as BoundBy } = {}) =>
      change(id, time, async (intent, client) => {
        block += 1n
        const amount = BigInt(Math.ceil(Number(intent.amount) * part))
        const place = { blockNumber: block, blockTimestamp: seconds(time), logIndex: 0 }
        const transfer = { id: newId('tr', time), txHash: randomHash(), ...place, amount }
        const log = { chainId, from: payer, to: intent.wallet, token: intent.token }
        const binding = { type: 'bound', intentId: id, by } as const
        const stored = { ...transfer, ...log, blockHash: randomHash(), authorizationNonce: null }
        await insertTransfers(client, chainId, [{ ...stored, binding }])
        const credited: CreditedTransfer = { ...transfer, boundBy: by }
        const transfers = [...intent.transfers, credited]
        return [{ type: 'transfer_seen', transfer: credited }, head({ transfers }, time)]
      }),

    accept: (id: string, time: number) =>
      change(id, time, async (intent) => [{ type: 'accept' }, head(intent, time)]),

    cancel: (id: string, time: number) => change(id, time, async () => [{ type: 'cancel' }]),

    /** Makes the chain take back the newest transfer. The others are deep enough. */
    reverse: (id: string, time: number) =>
      change(id, time, async (intent, client) => {
        const deleted = intent.transfers.at(-1)
        if (!deleted) return []
        await orphanTransfers(client, [deleted.id])
        const transfers = intent.transfers.slice(0, -1)
        return [{ type: 'transfer_orphaned', transferId: deleted.id }, head({ transfers }, time)]
      }),

    /** Refunds a part of an intent at once. */
    async refund(intentId: string, amount: bigint, time: number): Promise<string> {
      const source = { confirmationsRequired: 1, head: block, transfers: [], refunds: [] }
      const all = { from: payer, blockNumber: 0n, amount }
      const refund = newRefund(
        {
          clock: () => ({ now: time, earliest: time }),
          ...{ newId, randomSalt: randomHash },
        },
        {
          ...{ source: { ...source, transfers: [all] }, mode: merchant.mode, chain: 'base' },
          ...{ chainId, token: testToken, transfer: null, role: 'foreign' },
        },
        {
          ...{ merchantId: merchant.id, source: { type: 'payment_intent', id: intentId } },
          ...{ destination: payer, amount: undefined, reason: null, metadata: '{}' },
        },
      )
      await insertRefund(db.pool, refund)
      refunds.set(refund.id, refund)
      await this.payRefund(refund.id, time)
      return refund.id
    },

    async payRefund(id: string, time: number): Promise<void> {
      const refund = refunds.get(id)
      if (!refund) return
      const transfer = { id: newId('tr', time), txHash: randomHash(), blockNumber: block }
      const head = { type: 'head', blockNumber: block + 100n, timestamp: seconds(time) } as const
      const applied = applyRefundFacts(refund, [
        { type: 'transfer_seen', transfer: { ...transfer, from: merchant.wallets.base ?? payer } },
        { ...head, proven: new Set([transfer.id]) },
      ])
      await applyToRefund(applied, time)
    },

    async reverseRefund(id: string, time: number): Promise<void> {
      const refund = refunds.get(id)
      if (!refund?.transfer) return
      const { id: transferId } = refund.transfer
      await applyToRefund(
        applyRefundFacts(refund, [{ type: 'transfer_orphaned', transferId }]),
        time,
      )
    },
  }
}
