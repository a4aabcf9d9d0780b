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

test.each(Object.entries(scenarios))(
  'the test kit answers as this server does: %s',
  async (_, scenario) => {
    const expected = await record(await resetServer(shared), scenario)
    expect(await record(startTestKit(), scenario)).toEqual(expected)
  },
)
