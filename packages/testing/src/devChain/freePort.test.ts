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

it('does not return a port that fetch refuses', async () => {
  await expect(fetch('http://127.0.0.1:10080')).rejects.toMatchObject({
    cause: { message: 'bad port' },
  })
  const other = await freePort()
  const draws = [10_080, other + 1, other + 2, other + 3]
  expect(await freePort(() => draws.shift() ?? 0)).not.toBe(10_080)
})
