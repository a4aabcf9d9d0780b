import { expect, test } from 'vitest'
import { record } from './parityRecord.ts'
import { scenarios } from './parityScenarios.ts'
import { type Side, startServer, startTestKit } from './paritySides.ts'

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
