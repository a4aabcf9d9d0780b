import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createStore } from './createStore.ts'

test.each([
  ['while payers send requests, a merchant creates six intents at once', true, 6],
  ['otherwise a merchant creates a hundred intents at once', false, 100],
])('%s', async (_name, isRecent, expected) => {
  const store = createStore({
    db: { pool: { options: {} } },
    database: { isAway: () => false, onAway: () => {} },
    payerActivity: { isRecent: () => isRecent },
    requestConnections: 5,
  } as unknown as Parameters<typeof createStore>[0])
  const started: string[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const create = (merchant: string) =>
    store.withCreationSlot(merchant, () => {
      started.push(merchant)
      return ended
    })
  const created = Array.from({ length: 150 }, () => create('mer_1'))
  await setImmediate()
  expect(started).toHaveLength(expected)
  // Another merchant does not wait for the first.
  created.push(create('mer_2'))
  await setImmediate()
  expect(started.at(-1)).toBe('mer_2')
  end()
  await Promise.all(created)
})
