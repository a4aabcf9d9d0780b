import { expect, test } from 'vitest'
import { compileToken } from '../scripts/compileToken.ts'

test('the creation code of the token matches its compiled source', async () => {
  // `vitest run --update` writes the file.
  await expect(`/** TestUsdc.sol compiled; a test compares the two. */
export const creationCode =
  '${await compileToken()}'
`).toMatchFileSnapshot('../contracts/creationCode.ts')
})
