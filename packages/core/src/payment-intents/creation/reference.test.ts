import { expect, test } from 'vitest'
import { paymentReference } from './reference.ts'

test('the reference is the published commitment to the terms', () => {
  const terms = {
    id: 'pi_test_0001',
    chainId: 8453,
    token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    to: '0x1111111111111111111111111111111111111111',
    amount: 12_340_000n,
    expiresAt: 1_767_225_600,
    salt: `0x${'1'.padStart(64, '0')}`,
  } as const
  expect(paymentReference(terms)).toBe(
    '0x2ddce68075f1127f79b99bca42c33880db84b5094864bee18b40daf8228d4f9a',
  )
  expect(paymentReference({ ...terms, expiresAt: 1_767_225_601 })).not.toBe(paymentReference(terms))
})
