import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { freePort } from './freePort.ts'

it('returns a port once, even if nothing listens on it yet', async () => {
  const twice: number[] = []
  const draw = () => {
    if (!twice.length) twice.push(...Array(2).fill(randomInt(10_000, 30_000)))
    return twice.pop() as number
  }
  expect(await freePort(draw)).not.toBe(await freePort(draw))
})
