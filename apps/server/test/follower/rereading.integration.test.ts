import { expect, test } from 'vitest'
import { readerOfTest, watchMany } from '../support/chain/readerOfTest.ts'
import type { Json } from '../support/server/testServer.ts'

const { reader, chain } = readerOfTest()

test('logs that a node returned too late are found by reading blocks again', async () => {
  const intent = await reader.paid('reference')
  const honest = reader.rpc
  reader.rpc = { ...honest, transfers: async () => [] }
  await reader.read()
  await reader.settle()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'requires_payment' })
  reader.rpc = honest
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
})

test('the follower waits for a provider that falls behind', async () => {
  const intent = await reader.paid('reference')
  await reader.read()
  const honest = reader.rpc
  const old = await honest.header(1n)
  reader.rpc = { ...honest, header: async () => old, transfers: async () => [] }
  expect(await reader.read()).toMatchObject({ type: 'provider_behind' })
  expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
})

test('an empty response takes no payment back', async () => {
  const intent = await reader.paid('reference')
  await reader.read()
  const honest = reader.rpc
  reader.rpc = { ...honest, transfers: async () => [] }
  await chain.mine(1)
  await reader.read()
  expect(await reader.resolved(intent)).toMatchObject({ status: 'pending_confirmations' })
})

test.each([
  { wallets: 'few', within: 11 },
  { wallets: 'many', within: 16 },
])(
  'a log that a node returns ten blocks late is found within $within, with $wallets wallets',
  async ({ wallets, within }) => {
    if (wallets === 'many') await watchMany(reader)
    const honest = reader.rpc
    reader.rpc = {
      ...honest,
      async transfers(range) {
        const { number: head } = (await honest.header('latest')) ?? { number: 0n }
        return (await honest.transfers(range)).filter(
          ({ blockNumber }) => head - blockNumber >= 10n,
        )
      },
    }
    // Pay an intent at each position between two polls that read the full range again.
    const intents: Json[] = []
    const places = 6
    for (let place = 0; place < places; place += 1) intents.push(await reader.create())
    for (let block = 0; block < places + within; block += 1) {
      const paid = intents[block]
      if (paid) await reader.pay(paid, 'reference')
      else await chain.mine()
      await reader.read()
      const due = intents[block - within]
      if (due) expect(await reader.resolved(due)).not.toMatchObject({ status: 'requires_payment' })
    }
    await reader.read()
    for (const intent of intents) {
      expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
    }
  },
)

test.each(['few', 'many'])(
  'blocks from long ago are not read again, with %s wallets',
  async (wallets) => {
    const { rpc } = reader
    const starts: bigint[] = []
    reader.rpc = {
      ...rpc,
      transfers(range) {
        starts.push(range.from)
        return rpc.transfers(range)
      },
    }
    const readOften = async () => {
      for (let polls = 0; polls < 7; polls += 1) {
        await chain.mine()
        await reader.read()
      }
    }
    /** Watches from the last minutes on, which are only a part of the blocks. */
    const watchFromHead = async () => {
      // Mine 400 blocks, at intervals of two seconds.
      await chain.rpc('anvil_mine', ['0x190', '0x2'])
      const head = await rpc.header('latest')
      await reader.db.pool.query('update watched_topics set since = to_timestamp($1)', [
        head?.timestamp,
      ])
    }
    if (wallets === 'many') await watchMany(reader)
    await reader.create()
    // Between the waits, nobody waits for a while.
    for (let wait = 0; wait < 3; wait += 1) {
      await watchFromHead()
      await readOften()
    }
    const back = starts.map((start, index) => (starts[index - 1] ?? start) - start)
    expect(back.filter((blocks) => blocks > 16n)).toEqual([])
    expect(starts.length).toBeGreaterThan(30)
  },
)
