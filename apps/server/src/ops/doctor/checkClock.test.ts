import { expect, test } from 'vitest'
import { checkClock } from './checkClock.ts'

test.each([
  [0, 'ok', 'this machine’s clock is within a minute of Base at rpc.example'],
  [4_000, 'ok', 'this machine’s clock is within a minute of Base at rpc.example'],
  [-50_000, 'ok', 'this machine’s clock is within a minute of Base at rpc.example'],
  [600_000, 'warn', 'this machine’s clock is 600 s behind Base at rpc.example'],
  [-600_000, 'warn', 'the latest block of Base is 600 s old at rpc.example'],
])('a newest block %i ms ahead of this clock: %s', (aheadMs, level, result) => {
  expect(checkClock('Base', 'rpc.example', aheadMs)).toMatchObject({ level, summary: result })
})
