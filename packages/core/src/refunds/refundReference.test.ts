import { encodeAbiParameters, keccak256, stringToBytes } from 'viem'
import { expect, test } from 'vitest'
import { paymentReference } from '../payment-intents/creation/reference.ts'
import { refundReference } from './refundReference.ts'

const terms = {
  id: 're_1',
  source: 'pi_1',
  chainId: 84532,
  token: `0x${'12'.repeat(20)}`,
  amount: 25_000_000n,
  salt: `0x${'34'.repeat(32)}`,
} as const

test('is the EIP-712 hash of a struct with each term', () => {
  const type =
    'RefundRef(string id,string source,uint256 chainId,address token,uint256 amount,bytes32 salt)'
  const hashOf = (text: string) => keccak256(stringToBytes(text))
  const words = ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address', 'uint256', 'bytes32']
  const struct = encodeAbiParameters(
    words.map((word) => ({ type: word })),
    [
      ...[hashOf(type), hashOf(terms.id), hashOf(terms.source)],
      ...[BigInt(terms.chainId), terms.token, terms.amount, terms.salt],
    ],
  )
  expect(refundReference(terms)).toBe(keccak256(struct))
})

test.each([
  ['id', 're_2'],
  ['source', 'tr_1'],
  ['chainId', 8453],
  ['token', `0x${'13'.repeat(20)}`],
  ['amount', 25_000_001n],
  ['salt', `0x${'35'.repeat(32)}`],
])('changes with its %s', (term, value) => {
  expect(refundReference({ ...terms, [term]: value })).not.toBe(refundReference(terms))
})

test('never equals the reference of a payment', () => {
  const { source: _, ...payment } = { ...terms, to: terms.token, expiresAt: 0 }
  expect(paymentReference(payment)).not.toBe(refundReference(terms))
})
