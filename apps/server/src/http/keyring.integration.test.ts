import { expect, test } from 'vitest'
import { until } from '../../../../tests/support/until.ts'
import { anotherServer, serverOfFile } from '../../test/fixtures.ts'
import { merchantApi } from '../../test/merchantApi.ts'
import { createTestMerchant, type TestServer } from '../../test/testServer.ts'

const server = serverOfFile()

/** When the key was last used, and how often that was written. */
async function use(merchantId: string): Promise<{ at: Date | null; writes: string }> {
  const { rows } = await server.db.pool.query(
    'select last_used_at as at, xmin::text as writes from api_keys where merchant_id = $1',
    [merchantId],
  )
  return rows[0]
}
const ask = async (of: TestServer, apiKey: string) =>
  expect((await merchantApi(of, apiKey).get('/v1/events')).status).toBe(200)

test('the last use of a key is written once a minute, whichever process is asked', async () => {
  const { id, apiKey } = await createTestMerchant(server.db)
  expect((await use(id)).at).toBeNull()
  await Promise.all(Array.from({ length: 20 }, () => ask(server, apiKey)))
  const first = await until(async () => {
    const noted = await use(id)
    expect(noted.at).not.toBeNull()
    return noted
  })
  const other = await anotherServer({ db: server.db })
  await ask(other, apiKey)
  await ask(server, apiKey)
  // The other process has looked by the time that it notes another key.
  const later = await createTestMerchant(server.db)
  await ask(other, later.apiKey)
  await until(async () => expect((await use(later.id)).at).not.toBeNull())
  expect(await use(id)).toEqual(first)

  await server.db.pool.query(
    "update api_keys set last_used_at = now() - interval '61 seconds' where merchant_id = $1",
    [id],
  )
  const third = await anotherServer({ db: server.db })
  await ask(third, apiKey)
  await until(async () => {
    expect((await use(id)).at?.getTime()).toBeGreaterThanOrEqual(first.at?.getTime() ?? Infinity)
  })
})
