import { expect, test } from 'vitest'
import { readTransaction } from './requestParams.ts'

const from = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const to = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const call = `0xa9059cbb${'1'.repeat(128)}`

test('takes calldata under either name', () => {
  expect(readTransaction([{ from, to, input: call }])).toEqual({ from, to, data: call })
  expect(readTransaction([{ from, to, data: call, value: '0x0', chainId: '0x14a34' }])).toEqual({
    from,
    to,
    data: call,
    value: '0x0',
  })
})

test.each([
  undefined,
  [],
  [null],
  [{ to }],
  [{ from, to: '0x1' }],
  [{ from, to, data: 'transfer' }],
  [{ from, to, value: 1 }],
])('refuses %o', (params) => {
  expect(() => readTransaction(params)).toThrow(expect.objectContaining({ code: -32602 }))
})
