import { expect, test } from 'vitest'
import { readAuthorization } from './readAuthorization.ts'

const token = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const to = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
const nonce = `0x${'c4'.repeat(32)}`
const message = {
  ...{ from: to, to, value: '24000000', validAfter: '0', validBefore: '2000000000', nonce },
}
const typed = {
  ...{ types: {}, primaryType: 'TransferWithAuthorization', message },
  domain: { verifyingContract: token },
}

test('returns the amount, the recipient and the deadline of an authorization', () => {
  const read = { token, recipient: to, amount: 24_000_000n, until: 2_000_000_000n, nonce }
  expect(readAuthorization(typed)).toEqual(read)
})

test.each([
  ['another message', { primaryType: 'Permit' }],
  ['an amount that is no number', { message: { ...message, value: '24.5' } }],
  ['no recipient', { message: { ...message, to: 'shop' } }],
])('returns null for %s', (_, changes) => {
  expect(readAuthorization({ ...typed, ...changes })).toBeNull()
})
