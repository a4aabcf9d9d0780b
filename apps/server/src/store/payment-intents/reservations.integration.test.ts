import { expect, test } from 'vitest'
import { anotherServer } from '../../../test/support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
} from '../../../test/support/server/testServer.ts'
import { one, transaction } from '../connection/connect.ts'
import { findFree } from './reservations.ts'

test('looking for a free amount reads no open intent of another price, before the planner has statistics, too', async () => {
  const server = await anotherServer()
  const { pool } = server.db
  const wallet = randomWallet()
  const { apiKey } = await createTestMerchant(server.db, { wallet })
  const intent = await createIntent(server, apiKey)
  await pool.query(
    `insert into payment_intents
     select (jsonb_populate_record(p, jsonb_build_object(
       'id', 'pi_' || n, 'payment_reference', n, 'amount_units', 1000000 * n,
       'payable_amount_units', 1000000 * n + 101))).*
     from payment_intents p, generate_series(1, 2000) n where p.id = $1`,
    [intent.id],
  )
  const read = await transaction(server.db, async (client) => {
    const fetched = async () =>
      one(
        await client.query<{ fetched: bigint }>(
          `select seq_tup_read + idx_tup_fetch as fetched from pg_stat_xact_user_tables
           where relname = 'payment_intents'`,
        ),
      ).fetched
    const before = await fetched()
    const asked = { chainId: 84532, wallet: wallet.toLowerCase() }
    const free = await findFree(client, asked, [7_000_100n, 7_000_300n])
    expect(free).toEqual([7_000_100n, 7_000_300n])
    return (await fetched()) - before
  })
  expect(read).toBeLessThan(10n)
})
