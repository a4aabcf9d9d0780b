import type { DevAccount } from '@payment-intents/testing'
import { describe, expect, test } from 'vitest'
import { isFull } from '../../../../tests/support/tier.ts'
import { hostileAccounts, longSignature } from '../../test/relayer/support/hostileAccounts.ts'
import { confirmations, startRelaying } from '../../test/relayer/support/relaying.ts'
import { chainServerOfFile } from '../../test/support/chain/chainServer.ts'
import { ofTest } from '../../test/support/database/fixtures.ts'
import { simulateAt } from '../../test/support/server/authorizing.ts'
import { submit as submitAuthorization } from '../../test/support/server/directActions.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
} from '../../test/support/server/testServer.ts'
import { findIntents } from '../store/payment-intents/paymentIntents.ts'
import { newMemory } from './cycle/relayerMemory.ts'

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)

/** Lets payers of another merchant pay, and expects each authorization to be broadcast in one of the next two cycles. */
async function honestPayers() {
  const { db, chain } = relaying
  const { apiKey } = await createTestMerchant(db, { wallet: randomWallet() })
  const payers = [2, 3, 5, 6].map((index) => chain.accounts[index] as DevAccount)
  let count = 0
  return async (used: Parameters<typeof relaying.cycle>[0]) => {
    const payer = payers[count++ % payers.length] as DevAccount
    const { id } = await relaying.submitAuthorization({ payer, apiKey })
    await relaying.cycle(used)
    if ((await relaying.status(id)).tx_hash === null) await relaying.cycle(used)
    expect((await relaying.status(id)).tx_hash, `of payment ${count}`).not.toBeNull()
    return id
  }
}

/** Submits an authorization like a payer, with validation. */
async function submit(payer: DevAccount) {
  const { server, chain } = shared
  const { apiKey } = await createTestMerchant(server.db, { wallet: randomWallet() })
  const {
    id,
    expected_wallet: to,
    expires_at,
    payment_reference: nonce,
  } = await createIntent(server, apiKey, { amount_units: 2_000_000 })
  const intents = await findIntents(server.db.pool, [id])
  const intent = intents.get(id)?.value ?? expect.fail('no intent')
  const authorization = {
    ...{ from: payer.address, to: to.toLowerCase(), value: '2000000', validAfter: '0', nonce },
    validBefore: String(Date.parse(expires_at) / 1_000),
  }
  return submitAuthorization(
    server.db,
    { simulateTransfer: simulateAt(chain.url) },
    { intent, authorization, signature: longSignature, source: 'checkout' },
  )
}

test('an account whose code uses 66 bytes in simulations, reverts on the chain and is dropped stops nobody', async () => {
  const hostile = hostileAccounts(relaying)
  const [account] = (await hostile.create(1)) as [DevAccount]
  const code = () => relaying.chain.rpc('eth_getCode', [account.address, 'latest'])
  expect(await code(), 'a delegation (EIP-7702)').toMatch(/^0xef0100/)
  const pay = await honestPayers()
  const used = { memory: newMemory() }
  expect(await submit(account)).toMatchObject({ type: 'accepted' })
  await relaying.cycle(used)
  await relaying.chain.mine(confirmations)
  await relaying.cycle(used)
  expect((await relaying.rows())[0]).toMatchObject({ state: 'final', succeeded: false })
  await hostile.dropCode([account])
  expect(await code()).toBe('0x')
  for (let count = 0; count < 5; count++) {
    await pay(used)
    await relaying.chain.mine(confirmations)
  }
  await relaying.settle(used)
  expect(await relaying.check()).toMatchObject({ successes: 5, empty: 0, used: 5 })
  // Anybody can broadcast it again while it is valid, so the payer's other payment methods stay closed.
  const { rows } = await relaying.db.pool.query(
    'select status from authorizations where authorizer = $1',
    [account.address.toLowerCase()],
  )
  expect(rows).toEqual([{ status: 'in_flight' }])
})

const sizes = [50, 149, 500]

describe.each<[string, boolean, number[]]>([
  ['each with a code of its own', false, isFull ? sizes : [149]],
  ['all with one code', true, isFull ? sizes : [50]],
])('accounts that revert once and then fail in simulations, %s', (_, isSameCode, counts) => {
  test.each(counts)(
    '%i of them: an honest payer of another merchant is always broadcast',
    async (count) => {
      const hostile = hostileAccounts(relaying)
      const accounts = await hostile.create(count, { isSameCode })
      const pay = await honestPayers()
      const used = { memory: newMemory() }
      for (const payer of accounts)
        await relaying.submitAuthorization({ payer, signature: longSignature })
      for (let round = 0; round < 8; round++) {
        await pay(used)
        await relaying.chain.mine(confirmations)
        // By now every broadcast transaction is in a block.
        if (round === 3) await hostile.dropCode(accounts)
      }
      await relaying.settle(used)
      const { successes, reverts } = await relaying.check()
      expect(successes).toBe(8)
      if (isSameCode) expect(reverts, 'of one code').toBeLessThanOrEqual(22)
      else expect(reverts).toBeLessThanOrEqual(3 * count)
    },
  )
})
