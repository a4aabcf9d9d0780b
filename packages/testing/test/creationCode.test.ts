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
    `"d619623596353240fb34a2d92f9990008dca0d0ddf07c2bdc888e775a5a7c9a6"`,
  )
})
