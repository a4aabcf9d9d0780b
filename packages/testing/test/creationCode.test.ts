import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { creationCode } from '../contracts/creationCode.ts'

test('token and creation code are those that creationCode.full.test.ts compiled', () => {
  const hash = createHash('sha256').update(creationCode)
  for (const file of ['../contracts/TestUsdc.sol', '../scripts/compileToken.ts'])
    hash.update(readFileSync(new URL(file, import.meta.url)))
  // After a change, `vitest run --mode full --update` compiles the token and writes both.
  expect(hash.digest('hex')).toMatchInlineSnapshot(
    `"fe61343ff4716ec597ae9155194ecffdc78d212c50fb9742f61d03eda105d8c5"`,
  )
})
