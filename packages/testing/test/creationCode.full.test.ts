import { expect, test } from 'vitest'
import { compileToken } from '../scripts/compileToken.ts'

test('the creation code of the token is what its source compiles to', async () => {
  // `vitest run --update` writes it.
  await expect(`/** TestUsdc.sol compiled; a test compares the two. */
export const creationCode =
  '${await compileToken()}'
`).toMatchFileSnapshot('../contracts/creationCode.ts')
})
