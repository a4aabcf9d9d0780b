import { chainServerOfFile } from '@payment-intents/server/test/chainServer.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import { record } from './parityRecord.ts'
import { scenarios } from './parityScenarios.ts'
import { resetServer, startTestKit } from './paritySides.ts'

const shared = chainServerOfFile()

// Payable amounts are drawn; both sides draw the same.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

const cases = Object.entries(scenarios).flatMap(([name, scenario]) => {
  const usual = { name, scenario, matchPlainPrice: false }
  const isByHand = name.startsWith('the price by hand')
  return isByHand ? [usual, { name: `${name}, matched`, scenario, matchPlainPrice: true }] : usual
})

test.each(cases)(
  'the test kit answers as this server does: $name',
  async ({ scenario, matchPlainPrice }) => {
    const expected = await record(await resetServer(shared, { matchPlainPrice }), scenario)
    expect(await record(startTestKit({ matchPlainPrice }), scenario)).toEqual(expected)
  },
)
