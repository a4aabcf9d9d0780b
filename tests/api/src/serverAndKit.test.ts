import { type Endpoint, endpoints, errorTable } from '@payment-intents/contract'
import { chainServerOfFile } from '@payment-intents/server/test/support/chain/chainServer.ts'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Recorded, record } from './record.ts'
import { scenarios } from './scenarios.ts'
import { resetServer, type Settings, type Side, startTestKit } from './sides.ts'
import { simultaneous } from './simultaneous.ts'

const shared = chainServerOfFile()
const requests: Recorded[] = []

// Payable amounts are drawn: every run draws the same.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

const sides: [name: string, start: (settings: Settings) => Side | Promise<Side>][] = [
  ['the server', (settings) => resetServer(shared, settings)],
  ['the test kit', startTestKit],
]

const cases = Object.entries(scenarios).flatMap(([name, scenario]) => {
  const usual = { name, scenario, matchPlainPrice: false }
  const isByHand = name.startsWith('the price by hand')
  return isByHand ? [usual, { name: `${name}, matched`, scenario, matchPlainPrice: true }] : usual
})

describe.each(sides)('%s responds as recorded', (_name, start) => {
  test.each(cases)('$name', async ({ name, scenario, matchPlainPrice }) => {
    const { text, recorded } = await record(await start({ matchPlainPrice }), scenario)
    requests.push(...recorded)
    await expect(text).toMatchFileSnapshot(`recorded/${name.replaceAll(/\W+/g, '-')}.txt`)
  })
})

describe.each(sides)('%s, with requests at the same time', (_name, start) => {
  test.each(Object.entries(simultaneous))('%s', async (_case, check) => {
    await check(await start({ matchPlainPrice: false }))
  })
})

/** Only a server closes merchants, signs people in, limits rates and has faults of its own; its own tests show them. */
const ofServers = [
  ...['merchant_not_found', 'rate_limited', 'internal_error'],
  ...['session_invalid', 'proof_required', 'forbidden'],
]

afterAll(() => {
  for (const [operation, { method, path, query }] of Object.entries<Endpoint>(endpoints)) {
    const pattern = new RegExp(`^${path.replace('{id}', '[^/]+')}$`)
    const succeeded = requests.filter(
      (request) =>
        request.method === method && pattern.test(request.path) && request.status === 200,
    )
    expect(succeeded, `no scenario has ${operation} succeed`).not.toEqual([])
    const used = succeeded.flatMap(({ query }) => [...query.keys()])
    const filters = new Set(used.map((name) => name.split('[')[0]))
    const expected = Object.keys(query?.shape ?? {})
    expect([...filters], `filters of ${operation}`).toEqual(expect.arrayContaining(expected))
  }
  const errors = [...new Set(requests.flatMap(({ error }) => error ?? []))]
  const expected = Object.keys(errorTable).filter((code) => !ofServers.includes(code))
  expect(errors.sort(), 'errors of the scenarios').toEqual(expected.sort())
})
