import type { DevAccount } from '@payment-intents/testing'
import { expect, test } from 'vitest'
import { startRelaying } from '../../test/relayer/support/relaying.ts'
import { chainServerOfFile } from '../../test/support/chain/chainServer.ts'
import { ofTest } from '../../test/support/database/fixtures.ts'
import {
  createTestMerchant,
  type Json,
  randomWallet,
} from '../../test/support/server/testServer.ts'
import { newMemory } from './cycle/relayerMemory.ts'
import { usualGas } from './rpc/tokenCall.ts'

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)

/** The number of pending refunds that a merchant's limit covers. Mined, they use about half of their gas limits. */
const covered = 12
const account = (index: number) => relaying.chain.accounts[index] as DevAccount

/** The wei that the chain charged for authorizations. */
async function costOf(ids: readonly string[]): Promise<bigint> {
  const { rows } = await relaying.db.pool.query(
    'select coalesce(sum(cost), 0) as cost from relayer_transactions where authorization_id = any ($1)',
    [ids],
  )
  return rows[0].cost
}

async function transactionsOf(ids: readonly string[]): Promise<Json[]> {
  const rows = await relaying.rows()
  return rows.filter(({ authorization_id }) => ids.includes(authorization_id))
}

test.each([1, 3, 10])(
  'refunds of one merchant, %d times what its limit covers, cost no more and delay nobody',
  async (times) => {
    const { db, chain } = relaying
    const gasPrice = BigInt(await chain.rpc<string>('eth_gasPrice'))
    const merchantDailySpend = BigInt(covered) * usualGas * gasPrice
    const context = relaying.context({ limits: { merchantDailySpend } })
    const flooder = await createTestMerchant(db, { wallet: randomWallet() })
    const otherMerchant = await createTestMerchant(db, { wallet: randomWallet() })
    const flood: string[] = []
    for (let count = 0; count < times * 2 * covered; count += 1) {
      // Two wallets take turns.
      const shop = account(5 + (count % 2))
      flood.push(await relaying.signRefund({ merchantId: flooder.id, shop }))
    }
    const refund = await relaying.signRefund({ merchantId: otherMerchant.id, shop: account(7) })
    const payment = await relaying.submitAuthorization({
      payer: account(2),
      apiKey: otherMerchant.apiKey,
    })
    await relaying.cycle({ context, memory: newMemory() })
    const [paid] = await transactionsOf([payment.id])
    const [refunded] = await transactionsOf([refund])
    expect(paid, 'a payment goes before every refund').toMatchObject({ nonce: 0 })
    expect(refunded.nonce, 'the merchants take turns').toBeLessThanOrEqual(2)

    // The second round is by a new process, without memory.
    for (let process = 0; process < 2; process += 1) {
      await relaying.settle({ context, memory: newMemory() })
    }
    const late = await relaying.submitAuthorization({
      payer: account(3),
      apiKey: otherMerchant.apiKey,
    })
    await relaying.settle({ context, memory: newMemory() })
    for (const id of [payment.id, refund, late.id]) {
      expect(await transactionsOf([id])).toMatchObject([{ state: 'final', succeeded: true }])
    }
    const sent = (await transactionsOf(flood)).length
    expect(await costOf(flood)).toBeLessThanOrEqual(merchantDailySpend)
    expect(sent, 'the limit is used').toBeGreaterThanOrEqual(covered)
    if (times > 1) expect(sent).toBeLessThan(flood.length)
    expect(await relaying.check()).toEqual({
      ...{ successes: sent + 3, reverts: 0, empty: 0, used: sent + 3 },
    })
  },
)
