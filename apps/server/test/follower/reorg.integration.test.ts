import { statusSchema } from '@payment-intents/contract'
import { describe, expect, test } from 'vitest'
import { readerOfTest, watchMany } from '../support/chain/readerOfTest.ts'
import { idsOf, merchantApi } from '../support/server/merchantApi.ts'

const { reader, chain } = readerOfTest()

describe('a reorg', () => {
  test('changes the status by which a search finds the payer’s intent, like success and expiry', async () => {
    const api = merchantApi(reader.server, reader.merchant.apiKey)
    const find = async (status: string) => {
      const query = { payer: reader.payer, status }
      return idsOf((await api.read('/v1/payment_intents', query)).data)
    }
    const statuses = async () =>
      Object.fromEntries(
        await Promise.all(
          statusSchema.options.map(async (status) => [status, await find(status)] as const),
        ),
      )
    const none = Object.fromEntries(statusSchema.options.map((status) => [status, []]))
    const { id, ...intent } = await reader.paid('reference')
    await chain.mine(2)
    await reader.read()
    expect(await statuses()).toEqual({ ...none, pending_confirmations: [id] })
    await chain.reorg(3)
    await chain.mine()
    await reader.read()
    expect(await statuses()).toEqual({ ...none, requires_payment: [id] })
    await reader.pay({ id, ...intent }, 'reference')
    await reader.settle()
    expect(await statuses()).toEqual({ ...none, succeeded: [id] })
    const part = await reader.paid('reference', 1_000_000)
    await reader.settle()
    expect(await statuses()).toEqual({ ...none, succeeded: [id], requires_payment: [part.id] })
    await chain.increaseTime(28 * 3_600)
    await chain.mine()
    await reader.read()
    expect(await statuses()).toEqual({ ...none, succeeded: [id], expired: [part.id] })
  })

  test('of any depth while nobody follows is found at the next start', async () => {
    const intent = await reader.paid('reference')
    await chain.mine(1)
    await reader.read()
    await chain.reorg(2)
    await chain.mine(100)
    await reader.takeLease()
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'requires_payment',
      exceptions: ['reorged'],
    })
  })

  test('deeper than the blocks that are read again loses no payment of the new branch', async () => {
    const intent = await reader.create()
    await chain.mine(30)
    await reader.read()
    await chain.rpc('anvil_rollback', [25])
    await reader.pay(intent, 'reference')
    await chain.mine(40)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  })

  test('is read to its end even if the whole token is read', async () => {
    await watchMany(reader)
    const intent = await reader.create()
    await chain.mine(30)
    await reader.read()
    await reader.read()
    await chain.rpc('anvil_rollback', [8])
    await reader.pay(intent, 'reference')
    await chain.mine(20)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  })

  test('is read to its end even if a query covers fewer blocks than its depth', async () => {
    const few = async () => {
      for (let polls = 0; polls < 30; polls += 1) {
        const { type } = await reader.readOnce({ blocksPerQuery: 5 })
        if (type === 'current' && polls > 20) return
      }
      throw new Error('never caught up')
    }
    const intent = await reader.create()
    await chain.mine(200)
    await few()
    await chain.rpc('anvil_rollback', [150])
    await reader.pay(intent, 'reference')
    await chain.mine(160)
    await few()
    expect(await reader.resolved(intent)).toMatchObject({ status: 'succeeded' })
  })
})
