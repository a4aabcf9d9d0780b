import type { DevChain } from '@payment-intents/testing'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../test/chainServer.ts'
import { type Reader, startReader } from '../../test/reader.ts'
import type { Json } from '../../test/testServer.ts'
import type { Header } from '../db/chainBlocks.ts'
import { askForRescan } from '../db/chainCursors.ts'
import type { Witness } from './providers.ts'
import type { Rpc } from './rpc.ts'

let shared: ChainServer
let chain: DevChain
let reader: Reader

beforeAll(async () => {
  shared = await startChainServer()
  chain = shared.chain
  return shared.close
})
beforeEach(async () => {
  reader = await startReader(shared)
})

/** A provider that shows no logs while `silent.on`. */
function silentNode(honest: Rpc): { rpc: Rpc; silent: { on: boolean } } {
  const silent = { on: true }
  const transfers: Rpc['transfers'] = (range) =>
    silent.on ? Promise.resolve([]) : honest.transfers(range)
  return { rpc: { ...honest, transfers }, silent }
}

const asWitness = (rpc: Rpc): Witness => ({ ...rpc, isReady: () => true })

/** So many blocks later, each of them read when it comes. */
async function pass(blocks: number, witness?: Witness): Promise<number> {
  let late = 0
  for (let mined = 0; mined < blocks; mined += 5) {
    await chain.mine(5)
    const ticked = await reader.readOnce(witness ? { witness } : {})
    if ('foundLate' in ticked) late += ticked.foundLate
  }
  return late
}

async function paidUnseen(): Promise<Json> {
  const intent = await reader.create({ expires_in_minutes: 60 })
  await reader.readOnce()
  await reader.pay(intent, 'reference')
  return intent
}

test('a payment that the only provider did not show for a minute is found, and counted as late', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await paidUnseen()
  expect(await pass(25)).toBe(0)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment' })
  silent.on = false
  expect(await pass(60)).toBe(1)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('one that it did not show for minutes is found when its block is final', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await paidUnseen()
  await pass(150)
  silent.on = false
  expect(await pass(250)).toBe(0)
  expect(await pass(150)).toBe(1)
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('one that the first provider never shows is found by the second', async () => {
  const honest = reader.rpc
  reader.rpc = silentNode(honest).rpc
  const intent = await paidUnseen()
  expect(await pass(70, asWitness(honest))).toBe(1)
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('a second provider that is away is waited for', async () => {
  const honest = reader.rpc
  reader.rpc = silentNode(honest).rpc
  const intent = await paidUnseen()
  const refuses = () => Promise.reject(new Error('away'))
  const away = { ...asWitness(honest), isReady: () => false, transfers: refuses, header: refuses }
  expect(await pass(100, away)).toBe(0)
  expect(await pass(10, asWitness(honest))).toBe(1)
  await pass(5, asWitness(honest))
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('an operator has blocks read once more, in as many readings as they take', async () => {
  const { rpc, silent } = silentNode(reader.rpc)
  reader.rpc = rpc
  const intent = await paidUnseen()
  // Past the first depth, and long before the second.
  await pass(100)
  silent.on = false
  const { chainId } = chain
  await askForRescan(reader.db.pool, { chainId, from: 0n, to: 300n })
  for (let readings = 0; readings < 8; readings += 1) await reader.readOnce({ span: 40 })
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  // What is beyond the head ends it.
  const { rows } = await reader.db.pool.query('select from chain_rescans')
  expect(rows).toEqual([])
})

/** A provider that goes on with blocks of its own from the real head. */
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
      const own = /^0xf{50}(.*)$/.exec(hash)
      return own ? invented(await real(), BigInt(`0x${own[1]}`)) : honest.headerByHash(hash)
    },
  }
}

test('depth counts from the lower of two heads', async () => {
  const honest = reader.rpc
  const witness = asWitness(honest)
  const intent = await reader.create()
  await reader.readOnce()
  await reader.pay(intent, 'reference')
  await chain.mine(1)
  reader.rpc = boastful(honest, 9)
  for (let readings = 0; readings < 3; readings += 1) await reader.readOnce({ witness })
  expect(await reader.resolved(intent)).toMatchObject({
    status: 'pending_confirmations',
    confirmations: 2,
  })
  // By its word alone it would be deep enough.
  await reader.readOnce()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})
