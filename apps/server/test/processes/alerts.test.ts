import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { until } from '../../../../tests/support/until.ts'
import { connect, transaction } from '../../src/store/connection/connect.ts'
import { insertEvents } from '../../src/store/events/events.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { storeTransfer } from '../support/database/storeTransfer.ts'
import { startMailServer } from '../support/server/mailServer.ts'
import { separateDatabase, startServer } from '../support/server/serverProcess.ts'
import { createTestMerchant, randomWallet } from '../support/server/testServer.ts'

const chain = chainOfFile()

test('two servers raise an alert once a day despite restarts, and its mail waits for the mail server', async () => {
  const database = await separateDatabase()
  const port = await freePort()
  const mail = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'payments@example.com' }
  const env = { ...database, ...mail, RPC_URL_BASE_TESTNET: chain.url }
  const db = connect({ url: database.DATABASE_URL, poolSize: 2 })
  onTestFinished(() => db.pool.end())
  const { id: merchantId } = await createTestMerchant(db)
  await db.pool.query(
    `insert into people (id, merchant_id, name, email, role, created_at)
     values ('per_1', $1, 'Ada', 'ada@example.com', 'owner', now())`,
    [merchantId],
  )
  const unmatched = async () => {
    const transferId = await storeTransfer(db, { merchantId, to: randomWallet() })
    const object = JSON.stringify({ id: transferId, amount_units: 1_000_000 })
    const subject = { intentId: null, transferId, refundId: null, paymentLink: null }
    const event = { ...subject, merchantId, mode: 'testnet', sequence: 1, object } as const
    await transaction(db, (client) =>
      insertEvents(client, [{ ...event, type: 'transfer.unmatched' }], Date.now()),
    )
    return transferId
  }
  const count = async (query: string): Promise<number> =>
    (await db.pool.query<{ n: number }>(`select count(*)::int as n ${query}`)).rows[0]?.n ?? 0
  const alerts = () => count(`from events where type = 'alert.raised'`)
  const waiting = () => count(`from alert_objects where due_at <= now()`)
  const start = async () => {
    const servers = await Promise.all([startServer(env), startServer(env)])
    onTestFinished(async () => {
      for (const server of servers) await server.end('SIGKILL')
    })
    return async (signal: 'SIGKILL' | 'SIGTERM') => {
      for (const server of servers) await server.end(signal)
    }
  }

  await unmatched()
  const endFirst = await start()
  await until(async () => expect(await count('from mails where attempts > 0')).toBe(1))
  await endFirst('SIGKILL')
  expect(await alerts()).toBe(1)

  const second = await unmatched()
  const mailServer = await startMailServer({ port })
  onTestFinished(() => mailServer.close())
  // Let the claim of the killed server expire.
  await db.pool.query('update mails set due_at = now()')
  const endSecond = await start()
  await until(() => expect(mailServer.received).toHaveLength(1))
  await until(async () => expect(await waiting()).toBe(0))
  expect(await alerts()).toBe(1)
  await endSecond('SIGTERM')

  await db.pool.query(`update alerts set raised_at = raised_at - interval '1 day'`)
  await db.pool.query(`update alert_objects set due_at = due_at - interval '1 day'`)
  await start()
  await until(() => expect(mailServer.received).toHaveLength(2))
  expect(mailServer.received[1]?.raw).toContain(second)
  expect(await alerts()).toBe(2)
})
