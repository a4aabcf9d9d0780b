import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../../tests/support/patience.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { startFaultProxy } from '../support/chain/faultProxy.ts'
import { payIntent } from '../support/chain/payments.ts'
import { createKey, separateDatabase, startServer } from '../support/server/serverProcess.ts'
import { createIntent, type Json, resolveIntent } from '../support/server/testServer.ts'

const chain = chainOfFile()

test('although the follower is killed repeatedly, a frozen head and transactions that nobody returns are reported once and delay no payment', async () => {
  await chain.mine(30)
  const hidden = new Set<string>()
  const [moving, frozen] = [await startFaultProxy(chain.url), await startFaultProxy(chain.url)]
  moving.faults.unknown = hidden
  frozen.faults.unknown = hidden
  const { DATABASE_URL, SERVER_SECRET } = await separateDatabase()
  const RPC_URL_BASE_TESTNET = `${moving.url},${frozen.url}`
  const two = await startServer({ DATABASE_URL, SERVER_SECRET, RPC_URL_BASE_TESTNET, WORKERS: '2' })
  const db = new pg.Client(DATABASE_URL)
  onTestFinished(async () => {
    await db.end()
    await two.end('SIGKILL')
    await Promise.all([moving.shut(), frozen.shut()])
  })
  await db.connect()
  const apiKey = await createKey(DATABASE_URL)
  const { expected_wallet: to } = await createIntent(two, apiKey)
  frozen.faults.frozenAt = Number(await chain.rpc<string>('eth_blockNumber'))
  const [, , stranger] = chain.accounts
  for (let sent = 0; sent < 5; sent += 1) {
    const from = stranger?.address ?? expect.fail('no account')
    hidden.add((await chain.pay({ from, to, amount: 1n })).hash)
  }
  await chain.mine(12)
  const heads = async () =>
    (
      await db.query('select provider from provider_heads where head >= $1', [
        frozen.faults.frozenAt,
      ])
    ).rows
  await two.until(async () => expect(await heads()).toHaveLength(2))

  const logged = () =>
    two
      .output('stdout')
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line): Json => JSON.parse(line))
  const killFollower = () => {
    const following = logged().findLast(({ msg }) => msg === 'following')
    process.kill(following?.pid, 'SIGKILL')
  }
  const faultsOfBoth = async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        // A connection that was being passed to a killed worker never gets a response.
        const signal = AbortSignal.timeout(Math.ceil(patience / 6))
        const headers = { connection: 'close' }
        const response = await two.request('/readyz', { headers, signal })
        return (await response.json()).degraded.join()
      }),
    )
    return new Set(responses)
  }
  for (let kills = 0; kills < 3; kills += 1) {
    killFollower()
    // The next follower continues with these values.
    await db.query(
      `update provider_heads set advanced_at = advanced_at - interval '40 seconds' where provider = $1`,
      [frozen.host],
    )
    await db.query(
      `update deferred_transactions set retry_at = now(), deferred_at = deferred_at - interval '15 seconds'`,
    )
    await two.until(async () => {
      await chain.mine(1)
      const faults = await faultsOfBoth()
      expect(faults.size).toBe(1)
      expect([...faults].join()).toMatch(/1 of 2 RPC providers stand still/)
    })
    const intent = await createIntent(two, apiKey)
    await payIntent(chain, intent)
    await two.until(async () => {
      await chain.mine(1)
      const { status } = await resolveIntent(two, intent.client_secret)
      expect(status).toBe('succeeded')
    })
  }
  const { rows } = await db.query('select tx_hash from deferred_transactions')
  expect(new Set(rows.map(({ tx_hash }) => tx_hash))).toEqual(hidden)
  const named = () =>
    logged().flatMap(({ msg, tx_hash }) =>
      msg.startsWith('a transaction cannot be read') ? [tx_hash] : [],
    )
  await two.until(() => expect(new Set(named())).toEqual(hidden))
  expect(named()).toHaveLength(hidden.size)
})
