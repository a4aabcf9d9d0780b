import type { DevAccount } from '@payment-intents/testing'
import { concat, type Hex, numberToHex } from 'viem'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { othersOf } from '../../test/relayer/support/others.ts'
import { startRelaying } from '../../test/relayer/support/relaying.ts'
import { chainServerOfFile } from '../../test/support/chain/chainServer.ts'
import {
  type Faults,
  inUnknownWords,
  startFaultProxy,
} from '../../test/support/chain/faultProxy.ts'
import { ofTest } from '../../test/support/database/fixtures.ts'
import { RpcError } from '../chain/rpc/rpcError.ts'
import { acquireRelayLease, RelayLeaseLost, releaseRelayLease } from '../store/relaying/leases.ts'
import { watchAvailability } from './account/availability.ts'
import { newMemory } from './cycle/relayerMemory.ts'
import { runRelayerCycle } from './cycle/runRelayerCycle.ts'
import { maxGas, usualGas } from './rpc/tokenCall.ts'

const gwei = 10n ** 9n

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)

describe('a provider', () => {
  const faults: [string, NonNullable<Faults['instead']>][] = [
    ['accepts it and responds with an unknown error', after('qwertz')],
    [
      'confirms it and does not keep it',
      onFirstCall('eth_sendRawTransaction', async () => `0x${'11'.repeat(32)}`),
    ],
    ['refuses it once', onFirstCall('eth_sendRawTransaction', refuse('qwertz'))],
    ['knows no receipt at first', onFirstCall('eth_getTransactionReceipt', async () => null)],
  ]

  test.each(faults)('%s: it is mined exactly once', async (_name, instead) => {
    const proxy = await startFaultProxy(relaying.chain.url)
    proxy.faults = { instead }
    await relaying.submitAuthorization()
    const used = { context: relaying.context({ urls: [proxy.url] }), memory: newMemory() }
    await relaying.settle(used)
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0, used: 1 })
  })

  test('that cannot respond about one authorization submits the others', async () => {
    const proxy = await startFaultProxy(relaying.chain.url)
    const [, payer, otherAccount] = relaying.chain.accounts as [never, DevAccount, DevAccount]
    proxy.faults = {
      async instead(_method, forward, params) {
        if (params[0] === payer.address.toLowerCase()) throw new Error('internal error')
        return forward()
      },
    }
    const silent = await relaying.submitAuthorization({ payer })
    const fine = await relaying.submitAuthorization({ payer: otherAccount })
    await relaying.cycle({ context: relaying.context({ urls: [proxy.url] }) })
    expect(await relaying.status(silent.id)).toMatchObject({ status: 'in_flight', tx_hash: null })
    expect((await relaying.status(fine.id)).tx_hash).not.toBeNull()
  })

  test('breaks off: nothing is lost, and nothing is done twice', async () => {
    const proxy = await startFaultProxy(relaying.chain.url)
    const used = { context: relaying.context({ urls: [proxy.url] }), memory: newMemory() }
    await relaying.submitAuthorization()
    proxy.faults = { page: 502 }
    await relaying.cycle(used).catch((error) => expect(error).toBeInstanceOf(RpcError))
    proxy.faults = {}
    await relaying.settle({ memory: used.memory })
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
  })
})

describe('a provider whose refusals nobody can read', () => {
  const { dear, setBalance, sendAsRelayer } = othersOf(relaying)
  beforeEach(async () => {
    await relaying.chain.rpc('evm_setAutomine', [false])
    return async () => {
      // Transactions that remain would be mined in a block that the next test may see.
      await relaying.chain.rpc('anvil_dropAllTransactions')
      await relaying.chain.rpc('evm_setAutomine', [true])
    }
  })

  async function process() {
    const proxy = await startFaultProxy(relaying.chain.url)
    proxy.faults = { instead: inUnknownWords() }
    return { context: relaying.context({ urls: [proxy.url] }), memory: newMemory() }
  }
  const fees = async () => (await relaying.rows()).map(({ max_fee }) => max_fee as bigint)

  test('already has it: it is unchanged', async () => {
    await relaying.submitAuthorization()
    await relaying.cycle(await process())
    // A new process sends it again.
    const after = await process()
    for (let cycles = 0; cycles < 3; cycles += 1) await relaying.cycle(after)
    expect(await fees()).toHaveLength(1)
    expect(relaying.logs).not.toContainEqual(refusedByNode)
  })

  test('has another transaction of its nonce: its fees rise until it replaces that', async () => {
    await relaying.submitAuthorization()
    const used = await process()
    await relaying.cycle(used)
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    // Another program with the key offers a little more.
    const [firstFee = 0n] = await fees()
    await sendAsRelayer(0, (firstFee * 10n) / 9n)
    const after = await process()
    for (let cycles = 0; cycles < 5; cycles += 1) await relaying.cycle(after)
    await relaying.settle(after)
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
  })

  test('refuses fees below the block’s price: its fees rise', async () => {
    await relaying.submitAuthorization()
    const used = await process()
    await relaying.cycle(used)
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    await dear(20n * gwei, 1)
    const after = await process()
    await relaying.cycle(after)
    await relaying.cycle(after)
    const [firstFee = 0n, secondFee = 0n] = await fees()
    expect(secondFee).toBeGreaterThan(firstFee)
    await relaying.settle(after)
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
  })

  test('refuses it while the balance is too low: the same transaction is sent until it is accepted', async () => {
    await relaying.submitAuthorization()
    const used = await process()
    await relaying.cycle(used)
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    const balance = BigInt(
      await relaying.chain.rpc<Hex>('eth_getBalance', [relaying.address, 'latest']),
    )
    await setBalance(1n)
    const after = await process()
    for (let cycles = 0; cycles < 6; cycles += 1) {
      await relaying.cycle(after)
      await relaying.chain.mine()
    }
    expect(await fees()).toHaveLength(1)
    expect(relaying.logs).toContainEqual(refusedByNode)
    await setBalance(balance)
    await relaying.settle(after)
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
  })

  test('does not say that another program with the key has used the nonce', async () => {
    await relaying.submitAuthorization()
    const used = await process()
    await relaying.cycle(used)
    const [{ tx_hash }] = await relaying.rows()
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    const foreign = await sendAsRelayer(0)
    await relaying.chain.mine()
    const after = await process()
    await relaying.cycle(after)
    expect(relaying.logs).not.toContainEqual(refusedByNode)
    await relaying.settle(after)
    expect(await relaying.check([foreign])).toMatchObject({ successes: 1, reverts: 0 })
  })
})

const refusedByNode = {
  message: 'a transaction was not taken; it is sent again',
  fields: expect.anything(),
}

describe('limits', () => {
  test('of a day and of a merchant are kept, and the others wait', async () => {
    for (let count = 0; count < 4; count++) await relaying.submitAuthorization()
    const price = 10n ** 18n / 2_000n
    for (const limits of [{ dailySpend: price }, { merchantDailySpend: price }]) {
      await relaying.cycle({ context: relaying.context({ limits }) })
      const count = (await relaying.rows()).length
      expect(count, 'some, and not all').toBeLessThan(4)
    }
    await relaying.settle()
    expect(await relaying.check()).toMatchObject({ successes: 4 })
  })

  test('of a payer: after ten reverted transactions in a day, only that payer’s wait', async () => {
    const [, payer, otherAccount] = relaying.chain.accounts as [never, DevAccount, DevAccount]
    const past = await relaying.submitAuthorization({ payer })
    const { rowCount } = await relaying.db.pool.query(
      `with ended as (update authorizations set status = 'expired' where id = $1)
       insert into relayer_transactions (chain_id, tx_hash, relayer, nonce, authorization_id, raw,
         gas_limit, max_fee_per_gas, max_priority_fee_per_gas, state, succeeded, cost, block_number)
       select $2, '0x' || n, '0x', n, $1, '0x', 1, 1, 1, 'final', false, 1, 1
       from generate_series(1, 10) n`,
      [past.id, relaying.chain.chainId],
    )
    expect(rowCount).toBe(10)
    const his = await relaying.submitAuthorization({ payer })
    const others = await relaying.submitAuthorization({ payer: otherAccount })
    await relaying.cycle()
    expect(await relaying.status(his.id)).toMatchObject({ status: 'in_flight', tx_hash: null })
    expect((await relaying.status(others.id)).tx_hash).not.toBeNull()
  })

  test('while gas is too expensive, nothing is submitted', async () => {
    await relaying.submitAuthorization()
    await relaying.cycle({ context: relaying.context({ limits: { maxFeePerGas: 1n } }) })
    expect(await relaying.rows()).toEqual([])
  })
})

describe('payments without gas', () => {
  /** The offer as a new process reads it. */
  async function offered(options?: Parameters<typeof relaying.context>[0]) {
    const availability = watchAvailability(relaying.context(options), Date.now)
    const { merchantId } = relaying
    expect(availability.isOffered(merchantId), 'before anything is known').toBe(false)
    await availability.refresh()
    return { isOffered: availability.isOffered(merchantId), reason: availability.reason() }
  }
  const price = 10n ** 18n / 10_000n

  test('are offered if the relayer can pay for the gas', async () => {
    expect(await offered()).toEqual({ isOffered: true, reason: null })
    expect(relaying.logs.at(-1)?.message).toBe('payments without gas are offered')
  })

  test.each([
    ['maxFeePerGas', 1n, /MAX_FEE/],
    ['dailySpend', 1n, /DAILY_SPEND/],
    ['merchantDailySpend', price, null],
  ] as const)('are not offered while %s is reached', async (limit, value, reason) => {
    for (let count = 0; count < 3; count++) await relaying.submitAuthorization()
    await relaying.settle()
    const result = await offered({ limits: { [limit]: value } })
    expect(result.isOffered).toBe(false)
    if (reason) expect(result.reason).toMatch(reason)
    else {
      expect(result.reason, 'other merchants go on').toBeNull()
      const { merchantId: merchant } = relaying
      expect(relaying.logs.at(-2)?.fields).toMatchObject({ merchant })
    }
  })

  test('are not offered if recorded transactions take too much of the balance', async () => {
    const { rpc } = relaying.chain
    await rpc('evm_setAutomine', [false])
    onTestFinished(async () => {
      // Transactions that remain would be mined in a block that the next test may see.
      await rpc('anvil_dropAllTransactions')
      await rpc('evm_setAutomine', [true])
    })
    await relaying.submitAuthorization()
    await relaying.cycle()
    const [{ max_fee }] = await relaying.rows()
    const payments = (halves: bigint) => numberToHex((usualGas * max_fee * halves) / 2n)
    await rpc('anvil_setBalance', [relaying.address, payments(11n)])
    expect((await offered()).reason).toMatch(/balance/)
    await rpc('anvil_setBalance', [relaying.address, payments(13n)])
    expect((await offered()).reason).toBeNull()
  })

  test('are not offered without money for gas, on another token, or without a provider, which is logged once', async () => {
    await relaying.chain.rpc('anvil_setBalance', [relaying.address, '0x1'])
    const availability = watchAvailability(relaying.context(), Date.now)
    await availability.refresh()
    await availability.refresh()
    expect(availability.reason()).toMatch(/balance/)
    const lines = relaying.logs.filter(({ message }) => /not offered/.test(message))
    expect(lines).toHaveLength(1)
    await relaying.chain.rpc('anvil_setBalance', [relaying.address, '0x56bc75e2d63100000'])
    await availability.refresh()
    expect(availability.isOffered(relaying.merchantId)).toBe(true)

    const proxy = await startFaultProxy(relaying.chain.url)
    const urls = [proxy.url]
    const context = relaying.context({ urls })
    await context.providers.start(10_000)
    // The selector of DOMAIN_SEPARATOR().
    proxy.faults = { calls: { '0x3644e515': `0x${'12'.repeat(32)}` } }
    const elsewhere = watchAvailability(context, Date.now)
    await elsewhere.refresh()
    expect(elsewhere.reason()).toMatch(/EIP-712 domain/)
    proxy.faults = { page: 502 }
    await elsewhere.refresh()
    expect(elsewhere.isOffered(relaying.merchantId)).toBe(false)
  })
})

describe('an account with code', () => {
  const magic = `1626ba7e${'00'.repeat(28)}`
  const account: DevAccount = {
    address: '0x00000000000000000000000000000000000c0de1',
    privateKey: `0x${'11'.repeat(32)}`,
  }

  async function place(code: Hex): Promise<void> {
    const { chain } = relaying
    const [, rich] = chain.accounts as [DevAccount, DevAccount]
    await chain.rpc('anvil_setCode', [account.address, code])
    await chain.pay({ from: rich.address, to: account.address, amount: 100_000_000n })
  }

  // Returns EIP-1271's magic value for any call.
  const yes: Hex = `0x7f${magic}60005260206000f3`
  const delegate = '0x00000000000000000000000000000000000c0de2'

  test.each<[string, Hex]>([
    ['EIP-1271', yes],
    ['EIP-7702', concat(['0xef0100', delegate])],
  ])('pays by the signature that its code accepts (%s)', async (_, code) => {
    await relaying.chain.rpc('anvil_setCode', [delegate, yes])
    await place(code)
    await relaying.submitAuthorization({ payer: account })
    await relaying.settle()
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
    const [used = 0n] = await gasUsed()
    // The code has this much gas left for the checks that it omits here.
    expect(maxGas - used).toBeGreaterThan(180_000n)
  })

  test('whose code burns all gas except in a simulation costs at most three fixed limits', async () => {
    // The code accepts where gas has no price, as in `eth_call`, and loops endlessly elsewhere.
    await place(`0x3a602d577f${magic}60005260206000f35b602d56`)
    await relaying.submitAuthorization({ payer: account })
    await relaying.settle()
    expect(await relaying.check()).toEqual({ successes: 0, reverts: 3, empty: 0, used: 0 })
    const used = await gasUsed()
    expect(used.every((gas) => gas > 250_000n && gas <= 300_000n)).toBe(true)
  })

  test('without code, three quarters of the limit are enough, even for a first payment to a recipient that had nothing', async () => {
    await relaying.submitAuthorization()
    await relaying.settle()
    const [used = usualGas] = await gasUsed()
    expect(used * 4n).toBeLessThan(usualGas * 3n)
  })
})

test('a hundred at once are each mined once', async () => {
  const all = await Promise.all(Array.from({ length: 100 }, () => relaying.submitAuthorization()))
  await relaying.settle()
  expect(await relaying.check()).toEqual({ successes: 100, reverts: 0, empty: 0, used: 100 })
  expect(all).toHaveLength(100)
})

test('a rollup’s price for its data is a part of the cost', async () => {
  const proxy = await startFaultProxy(relaying.chain.url)
  proxy.faults = {
    async instead(method, forward) {
      const response = await forward()
      if (method !== 'eth_getTransactionReceipt' || !response) return response
      return { ...response, gasUsed: '0x2', effectiveGasPrice: '0x3', l1Fee: '0x64' }
    },
  }
  await relaying.submitAuthorization()
  await relaying.settle({ context: relaying.context({ urls: [proxy.url] }) })
  const { rows } = await relaying.db.pool.query('select cost from relayer_transactions')
  expect(rows).toEqual([{ cost: 106n }])
})

test('a process that has lost the lease, before or in a cycle, writes and sends nothing', async () => {
  await relaying.submitAuthorization()
  const { db, chain } = relaying
  const take = async () =>
    (await acquireRelayLease(db, chain.chainId)) ?? expect.fail('another process submits')
  const old = await take()
  await releaseRelayLease(db, old)
  const replaced = await take()
  await expect(runRelayerCycle(relaying.context(), old, newMemory())).rejects.toThrow(
    RelayLeaseLost,
  )
  const proxy = await startFaultProxy(chain.url)
  const context = relaying.context({ urls: [proxy.url] })
  proxy.faults = {
    async instead(method, forward) {
      // While the process waits for this response, another process takes over.
      if (method === 'eth_getCode') {
        await releaseRelayLease(db, replaced)
        await releaseRelayLease(db, await take())
      }
      return forward()
    },
  }
  await expect(runRelayerCycle(context, replaced, newMemory())).rejects.toThrow(RelayLeaseLost)
  expect(await relaying.rows()).toEqual([])
  expect(proxy.requests.flat()).not.toContain('eth_sendRawTransaction')
  await relaying.settle()
  expect(await relaying.check()).toMatchObject({ successes: 1 })
})

async function gasUsed(): Promise<bigint[]> {
  const hashes = (await relaying.rows()).map(({ tx_hash }) => tx_hash)
  const receipts = await Promise.all(
    hashes.map((hash) => relaying.chain.rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', [hash])),
  )
  return receipts.map(({ gasUsed }) => BigInt(gasUsed))
}

function refuse(message: string): () => Promise<never> {
  return async () => {
    throw new Error(message)
  }
}

/** Responds like this to the first call of a method. */
function onFirstCall(
  method: string,
  response: () => Promise<unknown>,
): NonNullable<Faults['instead']> {
  let isOver = false
  return (requested, forward) => {
    if (requested !== method || isOver) return forward()
    isOver = true
    return response()
  }
}

/** Lets the node accept the first transaction, and responds with this error. */
function after(message: string): NonNullable<Faults['instead']> {
  let isOver = false
  return async (method, forward) => {
    if (method !== 'eth_sendRawTransaction' || isOver) return forward()
    isOver = true
    await forward()
    throw new Error(message)
  }
}

describe('a failure of any kind does not affect the others', () => {
  /** An authorization that fails, and another that is broadcast in the same cycle. */
  async function pair() {
    const [, payer, otherAccount] = relaying.chain.accounts as [never, DevAccount, DevAccount]
    return [
      await relaying.submitAuthorization({ payer }),
      await relaying.submitAuthorization({ payer: otherAccount }),
    ] as const
  }

  async function expectBroadcast(
    id: string,
    options?: Parameters<typeof relaying.cycle>[0],
  ): Promise<void> {
    await relaying.cycle(options)
    expect((await relaying.status(id)).tx_hash).not.toBeNull()
  }

  test.each([
    ['an empty signature', '0x'],
    ['a signature of another length', `0x${'ab'.repeat(66)}`],
    ['a signature that cannot be read', 'no hexadecimal digits'],
  ])('%s', async (_, signature) => {
    const [broken, fine] = await pair()
    await relaying.db.pool.query('update authorizations set signature = $2 where id = $1', [
      broken.id,
      signature,
    ])
    await expectBroadcast(fine.id)
    expect((await relaying.status(broken.id)).tx_hash).toBeNull()
  })

  test('terms that cannot be encoded', async () => {
    const [broken, fine] = await pair()
    await relaying.db.pool.query(`update authorizations set amount_units = -1 where id = $1`, [
      broken.id,
    ])
    await expectBroadcast(fine.id)
    expect(await relaying.status(broken.id)).toMatchObject({ status: 'in_flight', tx_hash: null })
    expect(relaying.logs).toContainEqual({
      message: 'an authorization cannot be validated; it waits',
      fields: expect.objectContaining({ authorization: broken.id }),
    })
  })

  test('a row that the database refuses', async () => {
    const [broken, fine] = await pair()
    const { pool } = relaying.db
    await pool.query(
      `alter table relayer_transactions add constraint refuses check (authorization_id <> '${broken.id}')`,
    )
    onTestFinished(async () => {
      await pool.query('alter table relayer_transactions drop constraint refuses')
    })
    const used = { context: relaying.context(), memory: newMemory() }
    await expectBroadcast(fine.id, used)
    expect(await relaying.status(broken.id)).toMatchObject({ status: 'in_flight', tx_hash: null })
    await relaying.settle(used)
    expect(await relaying.check()).toMatchObject({ successes: 1, reverts: 0 })
  })

  test('a receipt that cannot be read, and a transaction whose call cannot be', async () => {
    await relaying.chain.rpc('evm_setAutomine', [false])
    onTestFinished(async () => {
      // Transactions that remain would be mined in a block that the next test may see.
      await relaying.chain.rpc('anvil_dropAllTransactions')
      await relaying.chain.rpc('evm_setAutomine', [true])
    })
    const proxy = await startFaultProxy(relaying.chain.url)
    const used = { context: relaying.context({ urls: [proxy.url] }), memory: newMemory() }
    const [first] = await pair()
    await relaying.cycle(used)
    const [{ tx_hash }] = (await relaying.rows()).filter((row) => row.authorization_id === first.id)
    proxy.faults = {
      async instead(method, forward, params) {
        if (method === 'eth_getTransactionReceipt' && params[0] === tx_hash) return 'no receipt'
        return forward()
      },
    }
    const [, second] = await pair()
    await expectBroadcast(second.id, used)
    // Once the node has dropped it, it must be replaced.
    proxy.faults = {}
    await relaying.db.pool.query('update relayer_transactions set raw = $2 where tx_hash = $1', [
      tx_hash,
      '0x1234',
    ])
    await relaying.chain.rpc('anvil_dropTransaction', [tx_hash])
    await relaying.chain.mine(4)
    const [, third] = await pair()
    await expectBroadcast(third.id, used)
  })

  test('a simulation that hangs delays nothing beyond its timeout', async () => {
    const proxy = await startFaultProxy(relaying.chain.url)
    const [, payer] = relaying.chain.accounts as [never, DevAccount]
    const [slow, fine] = await pair()
    const hangs = Promise.withResolvers<never>()
    onTestFinished(() => hangs.reject(new Error('over')))
    hangs.promise.catch(() => {})
    proxy.faults = {
      instead: (_method, forward, params) =>
        params[0] === payer.address.toLowerCase() ? hangs.promise : forward(),
    }
    const used = { context: relaying.context({ urls: [proxy.url] }), memory: newMemory() }
    await relaying.cycle(used)
    proxy.faults = {}
    expect(await relaying.status(slow.id)).toMatchObject({ status: 'in_flight', tx_hash: null })
    expect(await relaying.status(fine.id)).toMatchObject({ status: 'in_flight' })
  })
})
