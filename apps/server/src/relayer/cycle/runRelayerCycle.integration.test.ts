import type { DevAccount } from '@payment-intents/testing'
import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { othersOf } from '../../../test/relayer/support/others.ts'
import { confirmations, startRelaying } from '../../../test/relayer/support/relaying.ts'
import { chainServerOfFile } from '../../../test/support/chain/chainServer.ts'
import { startFaultProxy } from '../../../test/support/chain/faultProxy.ts'
import { ofTest } from '../../../test/support/database/fixtures.ts'
import { RpcError } from '../../chain/rpc/rpcError.ts'
import type { RelayLimits } from '../relayContext.ts'
import { usualGas } from '../rpc/tokenCall.ts'
import { newMemory } from './relayerMemory.ts'

const gwei = 10n ** 9n

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)
const { dear, setBalance, revoke, submitElsewhere, balanceOf, transfer, sendAsRelayer } =
  othersOf(relaying)

test('an authorization is mined once, and no later cycle calls the chain', async () => {
  const submitted = await relaying.submitAuthorization()
  expect(await relaying.cycle()).toBe('waiting')
  const [row] = await relaying.rows()
  expect(await relaying.status(submitted.id)).toMatchObject({
    ...{ status: 'in_flight', tx_hash: row.tx_hash },
  })
  await relaying.settle()
  expect(await relaying.rows()).toMatchObject([{ nonce: 0, state: 'final', succeeded: true }])
  expect(await relaying.check()).toEqual({ successes: 1, reverts: 0, empty: 0, used: 1 })
  expect(relaying.logs).toContainEqual({
    message: 'relayed',
    fields: expect.objectContaining({ authorization: submitted.id, outcome: 'succeeded' }),
  })
  // The chain's follower records this.
  await relaying.db.pool.query(`update authorizations set status = 'used'`)
  expect(await relaying.cycle()).toBe('idle')
})

describe('before it is submitted', () => {
  test('an authorization whose payer has moved the money is refused, and costs nothing', async () => {
    const [, , payer, otherAccount] = relaying.chain.accounts as [
      never,
      never,
      DevAccount,
      DevAccount,
    ]
    const submitted = await relaying.submitAuthorization({ payer })
    const amount = await balanceOf(payer.address)
    await relaying.chain.pay({ from: payer.address, to: otherAccount.address, amount })
    await relaying.settle()
    expect(await relaying.status(submitted.id)).toMatchObject({
      ...{ status: 'refused', reason: 'insufficient_token', tx_hash: null },
    })
    expect(await relaying.rows()).toEqual([])
  })

  test('an authorization whose intent is paid otherwise is refused', async () => {
    const { id, intent } = await relaying.submitAuthorization()
    await relaying.db.pool.query(
      'update payment_intents set amount_received_units = 1 where id = $1',
      [intent.id],
    )
    await relaying.settle()
    expect(await relaying.status(id)).toMatchObject({ status: 'refused', reason: 'intent_paid' })
    expect(await relaying.rows()).toEqual([])
  })

  test('an authorization that its account revokes is refused, once that is deep and its block was read twice', async () => {
    const submitted = await relaying.submitAuthorization()
    await revoke(submitted)
    await relaying.chain.mine(confirmations - 2)
    const look = async () => {
      await relaying.cycle({ memory: newMemory() })
      return relaying.status(submitted.id)
    }
    await readUpTo({ below: 0 })
    expect(await look(), 'a reorg may take it back').toMatchObject({ status: 'in_flight' })
    await relaying.chain.mine()
    await readUpTo({ rereadBelow: confirmations })
    expect(await look(), 'a node may not have shown it yet').toMatchObject({ status: 'in_flight' })
    await readUpTo()
    const defer = (above: number) =>
      relaying.db.pool.query(
        `insert into deferred_transactions (chain_id, tx_hash, block_number, block_hash, reason)
         select chain_id, '0x12', scanned_to + $1, '0x34', 'too large' from chain_cursors
         on conflict (chain_id, tx_hash) do update set block_number = excluded.block_number`,
        [above],
      )
    await defer(0)
    expect(await look(), 'it may be in what was not read').toMatchObject({ status: 'in_flight' })
    await defer(1)
    await relaying.chain.mine(40)
    expect(await look(), 'what is newer cannot be it').toMatchObject({
      ...{ status: 'refused', reason: 'authorization_used' },
    })
    expect(await relaying.rows()).toEqual([])
  })

  test('an authorization that somebody else submitted, or with ten seconds left, stays unchanged', async () => {
    const used = await relaying.submitAuthorization()
    await submitElsewhere(used)
    const late = await relaying.submitAuthorization({ seconds: 10 })
    expect(await relaying.cycle()).toBe('waiting')
    expect(await relaying.rows()).toEqual([])
    for (const { id } of [used, late]) {
      expect(await relaying.status(id)).toMatchObject({ status: 'in_flight' })
    }
  })
})

describe('an authorization that cannot be afforded', () => {
  /** Makes every authorization this many seconds old. */
  const age = (seconds: number) =>
    relaying.db.pool.query(
      'update authorizations set created_at = now() - make_interval(secs => $1)',
      [seconds],
    )

  test.each<[string, Partial<RelayLimits>, balance?: Hex]>([
    ['its balance', {}, '0x1'],
    ['the price of gas', { maxFeePerGas: 1n }],
    ['the limit of a day', { dailySpend: 1n }],
    ['the limit of a merchant', { merchantDailySpend: 1n }],
  ])(
    'by %s is withdrawn after fifteen seconds, which its payer sees',
    async (_, limits, balance) => {
      const { id, intent } = await relaying.submitAuthorization()
      if (balance) await relaying.chain.rpc('anvil_setBalance', [relaying.address, balance])
      const context = relaying.context({ limits })
      const memory = newMemory()
      await age(14)
      await relaying.cycle({ context, memory })
      expect(await relaying.withdraw()).toEqual(new Map())
      expect(await relaying.status(id)).toMatchObject({ status: 'in_flight' })
      await age(16)
      expect(await relaying.withdraw()).toEqual(new Map([[relaying.chain.chainId, 1]]))
      expect(await relaying.status(id)).toMatchObject({
        ...{ status: 'refused', reason: 'gasless_unavailable', tx_hash: null },
      })
      expect(await relaying.rows()).toEqual([])
      const { rows } = await relaying.db.pool.query(
        'select version from payment_intents where id = $1',
        [intent.id],
      )
      expect(rows, 'one more than when it was stored').toEqual([{ version: 3 }])
    },
  )

  test('delays no younger authorization, even if more wait than a cycle reads', async () => {
    for (let count = 0; count < 50; count++) await relaying.submitAuthorization()
    const { id, intent } = await relaying.submitAuthorization()
    await relaying.db.pool.query(
      'update payment_intents set amount_received_units = 1 where id = $1',
      [intent.id],
    )
    const used = { context: relaying.context({ limits: { dailySpend: 1n } }), memory: newMemory() }
    await relaying.cycle(used)
    expect(await relaying.status(id)).toMatchObject({ status: 'in_flight' })
    await relaying.cycle(used)
    expect(await relaying.status(id)).toMatchObject({ status: 'refused', reason: 'intent_paid' })
  })

  test('is submitted once it can be afforded, no matter how old', async () => {
    const { id } = await relaying.submitAuthorization()
    await age(600)
    await relaying.settle()
    expect(await relaying.status(id)).toMatchObject({ tx_hash: expect.any(String) })
    expect(await relaying.check()).toMatchObject({ successes: 1 })
  })

  test('is withdrawn as well if it cannot be validated', async () => {
    const { id } = await relaying.submitAuthorization()
    await age(16)
    const context = relaying.context({ urls: [(await brokenProvider()).url] })
    await relaying.cycle({ context }).catch((error) => expect(error).toBeInstanceOf(RpcError))
    await relaying.withdraw()
    expect(await relaying.status(id)).toMatchObject({ status: 'refused' })
  })

  test('stays if it was in a transaction before, even of another relayer', async () => {
    const { id } = await relaying.submitAuthorization()
    await relaying.db.pool.query(`update authorizations set tx_hash = '0x12'`)
    await age(600)
    await relaying.cycle({ context: relaying.context({ limits: { dailySpend: 1n } }) })
    expect(await relaying.withdraw()).toEqual(new Map())
    expect(await relaying.status(id)).toMatchObject({ status: 'in_flight' })
  })
})

describe('while it waits for its block', () => {
  beforeEach(async () => {
    await relaying.chain.rpc('evm_setAutomine', [false])
    return async () => {
      // Transactions that remain would be mined in a block that the next test may see.
      await relaying.chain.rpc('anvil_dropAllTransactions')
      await relaying.chain.rpc('evm_setAutomine', [true])
    }
  })

  test('its maximum cost is reserved: a balance for two pays for two', async () => {
    for (let count = 0; count < 3; count++) await relaying.submitAuthorization()
    // Twice this price is above the cap, so the cap is the maximum fee.
    await dear(6n * gwei, 1)
    const context = relaying.context({ limits: { maxFeePerGas: 10n * gwei } })
    await setBalance((5n * usualGas * 10n * gwei) / 2n)
    const memory = newMemory()
    for (let count = 0; count < 2; count++) {
      await relaying.cycle({ context, memory })
      expect(await relaying.rows()).toHaveLength(2)
    }
    await setBalance(10n ** 18n)
    await relaying.cycle({ context, memory })
    expect(await relaying.rows()).toHaveLength(3)
  })

  test('fees are not raised beyond the balance', async () => {
    await relaying.submitAuthorization()
    const used = { context: relaying.context(), memory: newMemory() }
    await relaying.cycle(used)
    const [{ max_fee }] = await relaying.rows()
    await setBalance(usualGas * max_fee)
    await dear(20n * gwei, 4)
    for (const rows of [1, 2]) {
      await relaying.cycle(used)
      expect(await relaying.rows()).toHaveLength(rows)
      await setBalance(10n ** 18n)
    }
  })

  test('an authorization that somebody else submits first is reverted once, and not retried', async () => {
    const submitted = await relaying.submitAuthorization()
    await relaying.cycle()
    await submitElsewhere(submitted, '0x174876e800')
    await relaying.settle()
    expect(await relaying.check()).toEqual({ successes: 0, reverts: 1, empty: 0, used: 1 })
  })

  test('an authorization that its account revokes first is reverted once, and refused once that is deep', async () => {
    const submitted = await relaying.submitAuthorization()
    await relaying.cycle()
    await revoke(submitted, '0x174876e800')
    await relaying.settle()
    expect(await relaying.status(submitted.id)).toMatchObject({ status: 'in_flight' })
    await readUpTo()
    await relaying.cycle({ memory: newMemory() })
    expect(await relaying.status(submitted.id)).toMatchObject({
      ...{ status: 'refused', reason: 'authorization_used' },
    })
    expect(await relaying.check()).toEqual({ successes: 0, reverts: 1, empty: 0, used: 0 })
  })

  test('an authorization that reverts is retried while it is valid, at most three times', async () => {
    const [, , payer, otherAccount] = relaying.chain.accounts as [
      never,
      never,
      DevAccount,
      DevAccount,
    ]
    const submitted = await relaying.submitAuthorization({ payer })
    for (let attempt = 1; attempt <= 4; attempt++) {
      await relaying.cycle()
      expect(await relaying.rows()).toHaveLength(Math.min(attempt, 3))
      // The payer's own transfer comes first in the same block.
      const amount = await balanceOf(payer.address)
      await transfer(payer, otherAccount, amount)
      await relaying.chain.mine()
      await transfer(otherAccount, payer, amount)
      await relaying.chain.mine(confirmations)
      await relaying.cycle()
    }
    expect(await relaying.check()).toEqual({ successes: 0, reverts: 3, empty: 0, used: 0 })
    expect(await relaying.status(submitted.id)).toMatchObject({ status: 'in_flight' })
  })

  test('the price rises: its fees rise by at least an eighth, up to the cap', async () => {
    await relaying.submitAuthorization()
    const context = relaying.context({ limits: { maxFeePerGas: 20n * gwei } })
    const memory = newMemory()
    const look = () => relaying.cycle({ context, memory })
    await look()
    const [firstRow] = await relaying.rows()
    await dear(30n * gwei, 4)
    await look()
    expect(await relaying.rows(), 'above the cap it waits').toHaveLength(1)
    await dear(8n * gwei, 4)
    await look()
    const [, secondRow] = await relaying.rows()
    expect(secondRow.nonce).toBe(0)
    expect(secondRow.max_fee).toBeGreaterThanOrEqual((firstRow.max_fee * 9n) / 8n)
    expect(secondRow.max_fee).toBeLessThanOrEqual(20n * gwei)
    await relaying.settle({ context, memory })
    expect(await relaying.check()).toEqual({ successes: 1, reverts: 0, empty: 0, used: 1 })
    expect((await relaying.rows()).map(({ state }) => state)).toEqual(['dropped', 'final'])
  })

  test('an expired authorization is replaced by an empty transaction, and those behind it continue', async () => {
    const expiring = await relaying.submitAuthorization({ seconds: 60 })
    const memory = newMemory()
    await relaying.cycle({ memory })
    const [{ tx_hash }] = await relaying.rows()
    const behind = await relaying.submitAuthorization()
    await relaying.cycle({ memory })
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    await relaying.chain.increaseTime(120)
    await relaying.chain.mine(4)
    await relaying.settle({ memory })
    expect(await relaying.check()).toEqual({ successes: 1, reverts: 0, empty: 1, used: 1 })
    expect(await relaying.status(expiring.id)).toMatchObject({ status: 'in_flight' })
    expect(await relaying.status(behind.id)).toMatchObject({ tx_hash: expect.any(String) })
  })

  test.each([
    ['gets it again, with higher fees', {}, ['dropped', 'final']],
    ['gets it again, also where the fees are at the cap', { maxFeePerGas: 2n * gwei }, ['final']],
  ])('a provider that forgets it %s', async (_name, limits, states) => {
    await relaying.submitAuthorization()
    const used = { memory: newMemory(), context: relaying.context({ limits }) }
    await relaying.cycle(used)
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    await relaying.chain.mine(3)
    await relaying.settle(used)
    expect((await relaying.rows()).map(({ state }) => state)).toEqual(states)
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
  })

  test('another program with the key takes the nonce: the next nonce is used', async () => {
    await relaying.submitAuthorization()
    const memory = newMemory()
    await relaying.cycle({ memory })
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    const foreign = await sendAsRelayer(0)
    await relaying.chain.mine(confirmations)
    await relaying.settle({ memory })
    expect(await relaying.rows()).toMatchObject([
      { nonce: 0, state: 'dropped' },
      { nonce: 1, state: 'final', succeeded: true },
    ])
    expect(await relaying.check([foreign])).toMatchObject({ successes: 1, reverts: 0 })
    expect(relaying.logs.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/took the nonce: use it here only/),
    )
  })

  test('a nonce without a transaction, as in a restored database, is filled', async () => {
    await relaying.submitAuthorization()
    await relaying.submitAuthorization()
    await relaying.cycle()
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    await relaying.db.pool.query('delete from relayer_transactions where nonce = 0')
    await relaying.settle()
    expect(await relaying.check()).toEqual({ successes: 2, reverts: 0, empty: 1, used: 2 })
  })
})

test('its block is replaced: it is sent again, before and after it was deep enough', async () => {
  for (const depth of [1, confirmations + 1]) {
    const { id } = await relaying.submitAuthorization()
    await relaying.cycle()
    await relaying.cycle()
    await relaying.chain.mine(depth - 1)
    if (depth > confirmations) await relaying.settle()
    const [before] = (await relaying.rows()).filter((row) => row.authorization_id === id)
    await relaying.chain.reorg(depth > confirmations ? depth + 2 : 1)
    await relaying.settle()
    const [after] = (await relaying.rows()).filter((row) => row.authorization_id === id)
    expect(after).toMatchObject({ state: 'final', succeeded: true, tx_hash: before.tx_hash })
  }
  expect(await relaying.check()).toEqual({ successes: 2, reverts: 0, empty: 0, used: 2 })
})

/**
 * Moves the follower's first and second read to these distances below the head; by default to the depth that no reorg
 * removes.
 */
async function readUpTo(reader: { below?: number; rereadBelow?: number } = {}): Promise<void> {
  const { below = confirmations - 1, rereadBelow = below } = reader
  const head = Number(await relaying.chain.rpc<Hex>('eth_blockNumber'))
  await relaying.db.pool.query(
    `insert into chain_cursors (chain_id, scanned_to, reread_to) values ($1, $2, array[$3, 0])
     on conflict (chain_id) do update
       set scanned_to = excluded.scanned_to, reread_to = excluded.reread_to`,
    [relaying.chain.chainId, head - below, head - rereadBelow],
  )
}

async function brokenProvider() {
  const proxy = await startFaultProxy(relaying.chain.url)
  proxy.faults = { page: 502 }
  return proxy
}
