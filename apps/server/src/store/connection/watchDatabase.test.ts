import { expect, test } from 'vitest'
import { connect } from './connect.ts'
import { watchDatabase } from './watchDatabase.ts'

test('a stopped watch no longer listens to the pools, which others continue to use', async () => {
  const pools = [0, 1].map(() => connect({ url: 'postgres://localhost/none', poolSize: 1 }))
  const [firstPool, secondPool] = pools as [(typeof pools)[0], (typeof pools)[0]]
  const listeners = () => pools.map(({ pool }) => pool.listenerCount('error'))
  const before = listeners()
  const watch = watchDatabase([firstPool, secondPool])
  expect(listeners()).toEqual(before.map((count) => count + 1))
  await watch.stop()
  expect(listeners()).toEqual(before)
})
