import { randomFillSync } from 'node:crypto'

const poolBytes = 8_192
let pool = Buffer.alloc(0)

/** Random bytes of the operating system. They are drawn many at a time, since a call costs more than the bytes. */
export function randomBytes(count: number): Buffer {
  if (pool.length < count) pool = randomFillSync(Buffer.alloc(Math.max(poolBytes, count)))
  const bytes = pool.subarray(0, count)
  pool = pool.subarray(count)
  return bytes
}
