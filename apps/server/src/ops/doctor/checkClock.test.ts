import { expect, test } from 'vitest'
import { checkClock } from './checkClock.ts'

test.each([
  [0, 'ok', 'within a minute of Base, as rpc.example has it'],
  [4_000, 'ok', 'within a minute of Base, as rpc.example has it'],
  [-50_000, 'ok', 'within a minute of Base, as rpc.example has it'],
  [600_000, 'warn', 'this machine is 600 s behind Base, as rpc.example has it'],
  [-600_000, 'warn', 'the newest block of Base is 600 s old at rpc.example'],
])('a newest block %i ms ahead of this clock: %s', (aheadMs, level, result) => {
  expect(checkClock('Base', 'rpc.example', aheadMs)).toMatchObject({ level, summary: result })
})
