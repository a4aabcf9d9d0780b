import { beforeEach, expect, test, vi } from 'vitest'
import { record } from './parityRecord.ts'
import { scenarios } from './parityScenarios.ts'
import { type Side, startServer, startTestKit } from './paritySides.ts'

// Payable amounts are drawn; both sides draw the same.
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
})

test.each(Object.entries(scenarios))(
  'the test kit answers as this server does: %s',
  async (_, scenario) => {
    const play = async (side: Side) => {
      try {
        return await record(side, scenario)
      } finally {
        await side.close()
      }
    }
    const expected = await play(await startServer())
    expect(await play(startTestKit())).toEqual(expected)
  },
)
