import { expect, test } from 'vitest'
import { walletError } from './walletError.ts'

test.each([
  [{ code: 4001 }, 'user_rejected'],
  [{ code: 4100 }, 'wallet_unauthorized'],
  [{ code: 4200 }, 'method_unsupported'],
  [{ code: -32601 }, 'method_unsupported'],
  [{ code: -32602 }, 'method_unsupported'],
  [{ code: 4900 }, 'wallet_disconnected'],
  [{ code: 4901 }, 'wallet_disconnected'],
  [{ code: 4902 }, 'wrong_chain'],
  [{ code: -32002 }, 'request_pending'],
  [{ code: 5720 }, 'duplicate_submission'],
  [{ code: '4001' }, 'user_rejected'],
  [{ code: -32603, data: { originalError: { code: 4902 } } }, 'wrong_chain'],
  [{ code: -32603, message: 'Unrecognized chain ID "0x14a34".' }, 'wrong_chain'],
  [{ message: 'outer', cause: { code: 4001 } }, 'user_rejected'],
  [new Error('insufficient funds for gas * price + value'), 'insufficient_gas'],
  [{ code: -32000, data: { originalError: new Error('Insufficient funds') } }, 'insufficient_gas'],
  [new Error('User denied transaction signature'), 'user_rejected'],
  [{ code: -32603, data: null }, 'internal_error'],
  [new Error('boom'), 'internal_error'],
  ['a string', 'internal_error'],
  [null, 'internal_error'],
  [undefined, 'internal_error'],
])('%o means %s', (error, code) => {
  expect(walletError(error)).toBe(code)
})

test('an error whose getters throw is an internal error', () => {
  const trap = () => {
    throw new Error('trap')
  }
  for (const name of ['code', 'message', 'data', 'cause']) {
    const error = Object.defineProperty({}, name, { get: trap })
    expect(walletError(error)).toBe('internal_error')
  }
  expect(walletError({ code: { valueOf: trap } })).toBe('internal_error')
})

test('an error that is its own cause is an internal error', () => {
  const error: { cause?: unknown } = {}
  error.cause = error
  expect(walletError(error)).toBe('internal_error')
})
