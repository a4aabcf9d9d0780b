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
  const create = (merchant: string) =>
    void store.withCreationSlot(merchant, () => {
      started.push(merchant)
      return new Promise(() => {})
    })
  for (let sent = 0; sent < 150; sent += 1) create('mer_1')
  await setImmediate()
  expect(started).toHaveLength(expected)
  // Another merchant does not wait for the first.
  create('mer_2')
  await setImmediate()
  expect(started.at(-1)).toBe('mer_2')
})
