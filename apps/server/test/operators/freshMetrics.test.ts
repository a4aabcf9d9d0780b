import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../src/store/connection/connect.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { anotherServer } from '../support/database/fixtures.ts'
import { expressions, namedBy, readSamples } from '../support/server/promql.ts'
import { separateDatabase, startServer } from '../support/server/serverProcess.ts'
import { createIntent, createTestMerchant } from '../support/server/testServer.ts'

const chain = chainOfFile()

test('a server on which nothing has happened has every series that the alerts and the dashboard use', async () => {
  const env = { ...(await separateDatabase()), RPC_URL_BASE_TESTNET: chain.url }
  const RELAYER_KEY_BASE_TESTNET = chain.accounts[8]?.privateKey
  // An intent must wait already, since otherwise no chain is read and none has a lag.
  const db = connect({ url: env.DATABASE_URL, poolSize: 2 })
  onTestFinished(() => db.pool.end())
  const earlier = await anotherServer({ db })
  await createIntent(earlier, (await createTestMerchant(db)).apiKey)

  const server = await startServer({ ...env, RELAYER_KEY_BASE_TESTNET })
  onTestFinished(async () => void (await server.end('SIGTERM')))
  const used = await expressions()
  expect(used.length).toBeGreaterThan(30)
  await server.until(async () => {
    const samples = readSamples(await (await server.request('/metrics')).text())
    for (const expression of used) {
      const { selectors, groups } = namedBy(expression)
      expect(selectors.length > 0 || expression.includes('up{'), expression).toBe(true)
      for (const { name, matches } of selectors) {
        const result = samples.filter((sample) => sample.name === name && matches(sample.labels))
        expect(result, `${name} of ${expression}`).not.toEqual([])
        expect(Object.keys(result[0]?.labels ?? {}), expression).toEqual(
          expect.arrayContaining(groups),
        )
      }
    }
  })
})

test('each counter that an alert compares with its earlier value has all its series at 0', async () => {
  const { request } = await anotherServer()
  const samples = readSamples(await (await request('/metrics')).text())
  const ofName = (name: string) =>
    samples.filter((sample) => sample.name === `payment_intents_${name}`)
  const combinations = (name: string) => ofName(name).map(({ labels }) => Object.values(labels))
  expect(combinations('unmatched_transfers_total')).toHaveLength(6 * 2)
  expect(combinations('unmatched_transfers_total')).toContainEqual([
    ...['base', 'testnet', 'amount_mismatch', 'true'],
  ])
  expect(combinations('http_responses_total')).toEqual([['2xx'], ['3xx'], ['4xx'], ['5xx']])
  expect(combinations('webhook_attempts_total')).toEqual([['delivered'], ['failed'], ['given_up']])
  expect(combinations('worker_restarts_total')).toEqual([[]])
  expect(combinations('transfers_delayed_total')).toEqual([['base', 'testnet']])
  const counts = samples.filter(({ name }) => /^payment_intents_\w+_total$/.test(name))
  expect(counts.filter(({ value }) => value !== 0)).toEqual([])
})
