import { describe, expect, test } from 'vitest'
import { chainServerOfFile } from '../../test/chainServer.ts'
import { ofTest } from '../../test/fixtures.ts'
import { startRelaying } from '../../test/relay/relaying.ts'

const shared = chainServerOfFile()
const relaying = ofTest(
  () => startRelaying(shared),
  () => {},
)

test('an authorization is mined once, and nothing is asked of the chain afterwards', async () => {
  const handedIn = await relaying.handIn()
  expect(await relaying.pass()).toBe('waiting')
  const [row] = await relaying.rows()
  expect(await relaying.status(handedIn.id)).toMatchObject({
    ...{ status: 'in_flight', tx_hash: row.tx_hash },
  })
  await relaying.settle()
  expect(await relaying.rows()).toMatchObject([{ nonce: 0, state: 'final', succeeded: true }])
  expect(await relaying.check()).toEqual({ successes: 1, reverts: 0, empty: 0, used: 1 })
  expect(relaying.logs).toContainEqual({
    message: 'relayed',
    fields: expect.objectContaining({ authorization: handedIn.id, outcome: 'succeeded' }),
  })
  expect(await relaying.pass()).toBe('idle')
})
