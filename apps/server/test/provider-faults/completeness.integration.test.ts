import { expect, test } from 'vitest'
import type { SecondProvider } from '../../src/chain/providers/secondProvider.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { RpcError } from '../../src/chain/rpc/rpcError.ts'
import type { RpcTransfer } from '../../src/chain/rpc/transferLogs.ts'
import type { Header } from '../../src/store/chains/blocks.ts'
import { requestRescan } from '../../src/store/chains/cursors.ts'
import { readerOfTest } from '../support/chain/readerOfTest.ts'
import type { Json } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()

/** A provider that returns no logs while `silent.on` is true. */
function silentNode(honest: Rpc): { rpc: Rpc; silent: { on: boolean } } {
  const silent = { on: true }
  const transfers: Rpc['transfers'] = (range) =>
    silent.on ? Promise.resolve([]) : honest.transfers(range)
  return { rpc: { ...honest, transfers }, silent }
}

const asSecond = (rpc: Rpc): SecondProvider => ({ ...rpc, isReady: () => true })

/** Mines this many blocks, and reads a few of them at a time. */
async function succeed(
  blocks: number,
  secondProvider?: SecondProvider,
  atOnce = 5,
): Promise<number> {
  let late = 0
  for (let mined = 0; mined < blocks; mined += atOnce) {
    await chain.mine(atOnce)
    const polled = await reader.readOnce(secondProvider ? { secondProvider } : {})
    if ('delayedTransfers' in polled) late += polled.delayedTransfers
  }
  return late
}

async function paidUnseen(): Promise<Json> {
  const intent = await reader.create({ expires_in_minutes: 60 })
  await reader.readOnce()
  await reader.pay(intent, 'reference')
  return intent
}

test('a payment that the only provider did not return for a minute is found, and counted as late', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await paidUnseen()
  expect(await succeed(25)).toBe(0)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment' })
  silent.on = false
  expect(await succeed(60)).toBe(1)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('a payment that the only provider did not return for minutes is found when its block is final', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await paidUnseen()
  await succeed(150, undefined, 15)
  silent.on = false
  expect(await succeed(250, undefined, 10)).toBe(0)
  expect(await succeed(150, undefined, 15)).toBe(1)
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('a payment that the first provider never returns is found by the second', async () => {
  const honest = reader.rpc
  reader.rpc = silentNode(honest).rpc
  const intent = await paidUnseen()
  expect(await succeed(70, asSecond(honest))).toBe(1)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('payments wait for an unreachable second provider', async () => {
  const honest = reader.rpc
  reader.rpc = silentNode(honest).rpc
  const intent = await paidUnseen()
  const refuses = () => Promise.reject(new Error('away'))
  const away = { ...asSecond(honest), isReady: () => false, transfers: refuses, header: refuses }
  expect(await succeed(100, away)).toBe(0)
  expect(await succeed(10, asSecond(honest))).toBe(1)
  await succeed(5, asSecond(honest))
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('a second provider that accepts fewer blocks in a query gets queries in parts', async () => {
  const honest = reader.rpc
  reader.rpc = silentNode(honest).rpc
  const intent = await paidUnseen()
  const transfers: Rpc['transfers'] = async (range) => {
    if (range.to === 'latest' || range.to - range.from >= 3n)
      throw new RpcError('range', 'Too many.')
    return honest.transfers(range)
  }
  expect(await succeed(70, { ...asSecond(honest), transfers })).toBe(1)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('a second provider that fails while blocks are read again stops nothing, and is used again', async () => {
  const honest = reader.rpc
  const unseen = await paidUnseen()
  const { number: hidden } = (await honest.header('latest')) ?? expect.fail('no head')
  const transfers: Rpc['transfers'] = async (range) =>
    (await honest.transfers(range)).filter(({ blockNumber }) => blockNumber !== hidden)
  reader.rpc = { ...honest, transfers }
  const fails = () => Promise.reject(new RpcError('unavailable', 'Away.'))
  const secondProvider = { ...asSecond(honest), transfers: fails }
  await succeed(60, secondProvider)
  const paidIntent = await reader.paid('reference')
  await succeed(10, secondProvider)
  expect(await reader.resolved(paidIntent)).toMatchObject({ status: 'succeeded' })
  expect(await succeed(10, asSecond(honest))).toBe(1)
  await succeed(5, asSecond(honest))
  expect(await reader.resolved(unseen)).toMatchObject({ status: 'succeeded' })
})

test('a transaction that only a second provider claims to know delays no other', async () => {
  const honest = reader.rpc
  await reader.create()
  await reader.readOnce()
  const made = (await honest.header('latest')) ?? expect.fail('no head')
  const log: RpcTransfer = {
    ...{ txHash: `0x${'e'.repeat(64)}`, logIndex: 0, token: chain.token, authorizationNonce: null },
    ...{ from: reader.payer, to: reader.merchant.wallet, amount: 1n },
    ...{ blockNumber: made.number, blockHash: made.hash },
  }
  const secondProvider: SecondProvider = {
    ...asSecond(honest),
    transfers: async ({ from, to, ...range }) => {
      const isThere = from <= made.number && (to === 'latest' || to >= made.number)
      return [...(await honest.transfers({ from, to, ...range })), ...(isThere ? [log] : [])]
    },
  }
  await succeed(50, secondProvider)
  const intent = await reader.paid('reference')
  await succeed(10, secondProvider)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('blocks of a catch-up since the first intent are also read again', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await reader.create({ expires_in_minutes: 60 })
  await reader.pay(intent, 'reference')
  await chain.mine(60)
  // A poll reads 25 blocks.
  for (let polls = 0; polls < 4; polls += 1) await reader.readOnce({ blocksPerQuery: 1 })
  silent.on = false
  expect(await succeed(20)).toBe(1)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('a rescan reads the operator’s blocks again, in several polls if needed', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await paidUnseen()
  // These blocks are past the first depth, and long before the second.
  await succeed(100)
  silent.on = false
  const { chainId } = chain
  await requestRescan(reader.db.pool, { chainId, from: 0n, to: 300n })
  for (let polls = 0; polls < 8; polls += 1) await reader.readOnce({ blocksPerQuery: 40 })
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  // A rescan ends at the head, even if more blocks were requested.
  const { rows } = await reader.db.pool.query('select from chain_rescans')
  expect(rows).toEqual([])
})

test('a rescan of blocks that the provider has pruned delays no payment', async () => {
  const honest = reader.rpc
  await paidUnseen()
  await succeed(100)
  const transfers: Rpc['transfers'] = (range) =>
    range.from < 50n
      ? Promise.reject(new RpcError('unavailable', 'history has been pruned'))
      : honest.transfers(range)
  reader.rpc = { ...honest, transfers }
  await requestRescan(reader.db.pool, { chainId: chain.chainId, from: 0n, to: 300n })
  const intent = await reader.paid('reference')
  const polled = await reader.readOnce()
  expect(polled).toMatchObject({ state: { rereadFailure: 'history has been pruned' } })
  expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
  reader.rpc = honest
  for (let polls = 0; polls < 4; polls += 1) await reader.readOnce()
  const { rows } = await reader.db.pool.query('select from chain_rescans')
  expect(rows).toEqual([])
})

test('a transaction that can be read again is recorded with new transactions, and does not count as late', async () => {
  const honest = reader.rpc
  const unread: Rpc['receipt'] = () => Promise.reject(new RpcError('unavailable', 'Away.'))
  const deferred = await paidUnseen()
  reader.rpc = { ...honest, receipt: unread }
  expect(await reader.readOnce()).toMatchObject({ type: 'current', deferred: [{}] })
  // The transaction is now past the blocks that each poll reads again.
  await succeed(15)
  reader.rpc = honest
  const otherIntent = await reader.paid('reference')
  await reader.readDeferred()
  expect(await succeed(5)).toBe(0)
  for (const intent of [deferred, otherIntent]) {
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  }
})

/** A provider that adds invented blocks above the real head. */
function boastful(honest: Rpc, blocks: number): Rpc {
  const made = (number: bigint) =>
    `0x${'f'.repeat(50)}${number.toString(16).padStart(14, '0')}` as const
  const invented = (head: Header, number: bigint): Header => ({
    number,
    hash: made(number),
    parentHash: number === head.number + 1n ? head.hash : made(number - 1n),
    timestamp: head.timestamp,
  })
  const real = async () => (await honest.header('latest')) ?? expect.fail('no head')
  return {
    ...honest,
    async header(block) {
      const head = await real()
      const number = block === 'latest' ? head.number + BigInt(blocks) : block
      return number > head.number ? invented(head, number) : honest.header(number)
    },
    async headerByHash(hash) {
      const inventedHash = /^0xf{50}(.*)$/.exec(hash)
      return inventedHash
        ? invented(await real(), BigInt(`0x${inventedHash[1]}`))
        : honest.headerByHash(hash)
    },
  }
}

test('depth counts from the lower of two heads', async () => {
  const honest = reader.rpc
  const secondProvider = asSecond(honest)
  const intent = await reader.create()
  await reader.readOnce()
  await reader.pay(intent, 'reference')
  await chain.mine(1)
  reader.rpc = boastful(honest, 9)
  for (let polls = 0; polls < 3; polls += 1) await reader.readOnce({ secondProvider })
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'pending_confirmations',
    confirmations: 2,
  })
  // By the first head alone it would be deep enough.
  await reader.readOnce()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('while a second provider is silent, confirmations are unchanged', async () => {
  const secondProvider = asSecond(reader.rpc)
  const intent = await reader.create()
  await reader.readOnce()
  await reader.pay(intent, 'reference')
  await chain.mine(2)
  await reader.readOnce({ secondProvider })
  const before = await reader.resolved(intent)
  expect(before).toMatchObject({ status: 'pending_confirmations', confirmations: 3 })
  const silent = {
    ...secondProvider,
    header: () => Promise.reject(new RpcError('unavailable', 'Away.')),
  }
  await reader.readOnce({ secondProvider: silent })
  await reader.takeLease()
  await reader.readOnce({ secondProvider: silent })
  const { version } = before
  expect(await reader.resolved(intent)).toMatchObject({ version, confirmations: 3 })
  // A provider that has fallen behind does not reduce them either.
  await chain.mine(1)
  await reader.readOnce({ secondProvider })
  const old = await reader.rpc.header(1n)
  await reader.readOnce({ secondProvider: { ...secondProvider, header: async () => old } })
  expect(await reader.resolved(intent)).toMatchObject({ confirmations: 4 })
})
