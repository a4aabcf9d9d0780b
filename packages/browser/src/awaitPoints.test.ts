import { expect, test } from 'vitest'
import { type Gates, installGates } from '../test/gates.ts'
import { intent, txHash } from '../test/intent.ts'
import { type Journey, journeys } from '../test/journeys.ts'
import {
  answerWith,
  close,
  holdAt,
  open,
  page,
  type ShopWindow,
  told,
  unfinished,
  visit,
} from '../test/twoOrigins.ts'

type GatedWindow = ShopWindow & { gates: Gates }

test.each(journeys)('closed at every point where it waits: $name', async (journey) => {
  await visit({ by: 'script', motion: 'no-preference', before: installGates })
  serve(journey)
  const gates = await page.evaluate(
    (journey) => (window as unknown as GatedWindow).gates.walk(journey),
    journey,
  )
  console.log(journey.name, gates)
  expect(gates).toContain('answer of resolve')

  const stops = await page.evaluate(
    async ({ journey, count }) => {
      const { gates } = window as unknown as GatedWindow
      const stops = []
      for (let gate = 0; gate < count; gate += 1) {
        for (const moment of ['before', 'after'] as const) {
          stops.push(await gates.stop(journey, gate, moment))
        }
      }
      return stops
    },
    { journey, count: gates.length },
  )

  const faults = stops.flatMap(({ at, told, askedAfter, timersLeft, before, after }) => [
    ...(told.at(-1)?.[0] === 'close' ? [] : [`${at}: onClose is not last: ${told}`]),
    ...(new Set(told.flat()).size === told.length ? [] : [`${at}: told twice: ${told}`]),
    ...askedAfter.map((method) => `${at}: the wallet is asked ${method}`),
    ...(timersLeft ? [`${at}: ${timersLeft} timers run on`] : []),
    ...(before === after || JSON.stringify(before) === JSON.stringify(after) ? [] : [`${at}: leaves ${JSON.stringify(after)}`]),
  ])
  expect(faults).toEqual([])
  expect(await page.evaluate(() => (window as unknown as GatedWindow).gates.failures)).toEqual([])
  await expect.poll(() => unfinished.size).toBe(0)
})

/** Answers of the journey's intent: it waits, is seen, is paid; the last is held. */
function serve({ answers, announced }: Journey) {
  const versions = [
    intent(announced ? { manual: null } : {}),
    intent({ status: 'pending_confirmations', tx_hash: txHash, version: 2 }),
    intent({ status: 'succeeded', tx_hash: txHash, version: 3 }),
  ]
  answerWith((_, afterVersion) => versions[Math.min(afterVersion, answers - 1)] ?? 404)
}
