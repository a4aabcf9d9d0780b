import { expect, test } from 'vitest'
import { serverOfFile } from '../../../test/support/database/fixtures.ts'
import {
  createIntent,
  createTestMerchant,
  randomWallet,
} from '../../../test/support/server/testServer.ts'
import { onlyRow, transaction } from '../connection/connect.ts'
import { findFree } from './reservations.ts'

const chainId = 84532
const server = serverOfFile()

/** Leaves only 2,000 intents at a wallet; every second of them is open. @param price SQL of the price of intent `n` */
async function fill(price: string, current: string) {
  const { pool } = server.db
  await pool.query('truncate payment_intents cascade')
  const wallet = randomWallet()
  const { apiKey } = await createTestMerchant(server.db, { wallet })
  const intent = await createIntent(server, apiKey)
  await pool.query(
    `insert into payment_intents
     select (jsonb_populate_record(p, jsonb_build_object(
       'id', 'pi_' || n, 'payment_reference', n, 'amount_units', ${price},
       'payable_amount_units', 2000000000 + n,
       'status', case when n % 2 = 0 then 'expired' else 'requires_payment' end))).*
     from payment_intents p, generate_series(1, 2000) n where p.id = $1`,
    [intent.id],
  )
  if (current === 'statistics') await pool.query('analyze payment_intents, payable_reservations')
  return wallet.toLowerCase()
}

// The cases without statistics come first: a table keeps its statistics when it is emptied.
test.each([
  ['prices differ', 'no statistics', '1000000 * n'],
  ['all have one price', 'no statistics', '1000000'],
  ['prices differ', 'statistics', '1000000 * n'],
  ['all have one price', 'statistics', '1000000'],
  ['it was the price of many', 'statistics', 'case when n % 2 = 0 then 7000100 else 1 end'],
])('looking for a free amount reads no intents where %s, with %s', async (_, current, price) => {
  const wallet = await fill(price, current)
  const read = await transaction(server.db, async (client) => {
    const fetched = async () =>
      onlyRow(
        await client.query<{ fetched: bigint }>(
          `select seq_tup_read + idx_tup_fetch as fetched from pg_stat_xact_user_tables
           where relname = 'payment_intents'`,
        ),
      ).fetched
    const before = await fetched()
    const free = await findFree(client, { chainId, wallet }, [7_000_100n, 7_000_300n])
    expect(free).toEqual([7_000_100n, 7_000_300n])
    return (await fetched()) - before
  })
  expect(read).toBeLessThan(10n)
})

test('the price of an open intent is taken, and the price of an ended intent is free', async () => {
  const wallet = await fill('1000000 * n', 'statistics')
  const amounts = [6_000_000n, 7_000_000n]
  expect(await findFree(server.db.pool, { chainId, wallet }, amounts)).toEqual([6_000_000n])
})
