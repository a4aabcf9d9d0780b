import type { Address } from '@payment-intents/contract'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
} from 'viem/account-abstraction'
import { describe, expect, test } from 'vitest'
import { referencedCalls } from './referencedCalls.ts'

const shop: Address = `0x${'ab'.repeat(20)}`
const payer: Address = `0x${'ef'.repeat(20)}`
const stranger: Address = `0x${'66'.repeat(20)}`
const token: Address = `0x${'0c'.repeat(20)}`
const reference: Hex = `0x${'a1'.repeat(32)}`
const another: Hex = `0x${'b2'.repeat(32)}`

const abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function execute(address target, uint256 value, bytes data)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'function redeemDelegations(bytes[] permissionContexts, bytes32[] modes, bytes[] executionCallDatas)',
])
const operation6 =
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }'
const operation7 =
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }'
const batch = 'struct Batch { Operation[] userOps; address aggregator; bytes signature; }'
const handleOps = 'function handleOps(Operation[] ops, address beneficiary)'
const handleAggregatedOps = 'function handleAggregatedOps(Batch[] batches, address beneficiary)'

/** A transfer of 25 units to the shop, followed by this data. */
function transfer(behind: Hex = '0x'): Hex {
  return concat([encodeFunctionData({ abi, functionName: 'transfer', args: [shop, 25n] }), behind])
}

function findCalls(
  input: Hex,
  { sender = stranger, to = stranger as Address | null, from = payer } = {},
) {
  const log = { logIndex: 0, from, to: shop, amount: 25n, token, authorizationNonce: null }
  return referencedCalls({ sender, to, token, input, transfers: [log] }).map(
    (call) => call.reference,
  )
}

describe('a transaction to the token', () => {
  test('counts the reference right after a transfer, whatever follows', () => {
    expect(
      findCalls(transfer(concat([reference, '0x8021'])), { sender: payer, to: token }),
    ).toEqual([reference])
  })

  test.each<[string, Hex]>([
    ['behind a signed authorization', concat(['0xe3ee160e', zeroHash, transfer(reference)])],
    ['not at the start', concat(['0x00000000', transfer(reference)])],
    ['too short to be a reference', transfer('0xa1a1')],
  ])('does not count data that is %s', (_, input) => {
    expect(findCalls(input, { sender: payer, to: token })).toEqual([])
    expect(findCalls(input, { sender: stranger, to: token })).toEqual([])
  })
})

test('the sender of a transaction has signed all of it', () => {
  const inner = encodeFunctionData({
    abi,
    functionName: 'execute',
    args: [token, 0n, transfer(reference)],
  })
  expect(findCalls(inner, { sender: payer })).toEqual([reference])
  expect(findCalls(inner, { sender: payer, to: null })).toEqual([reference])
  expect(findCalls(concat(['0x00', inner]), { sender: payer })).toEqual([reference])
  expect(findCalls(inner, { sender: stranger })).toEqual([])
})

describe('an EntryPoint', () => {
  const bytes = (hex: Hex): Hex => hex
  const operation = (sender: Address, callData: Hex) => ({
    ...({ sender, nonce: 1n, initCode: '0x', callData, preVerificationGas: 1n } as const),
    ...({ paymasterAndData: bytes('0x'), signature: bytes('0x1234') } as const),
  })
  const gas6 = {
    callGasLimit: 1n,
    verificationGasLimit: 1n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  }
  const gas7 = { accountGasLimits: zeroHash, gasFees: zeroHash }
  const payerOperation = (callData = transfer(reference)) => operation(payer, callData)
  const strange = operation(stranger, transfer(another))

  const handle7 = (...operations: ReturnType<typeof operation>[]): Hex => {
    const args = [
      operations.map((userOperation) => ({ ...userOperation, ...gas7 })),
      stranger,
    ] as const
    return encodeFunctionData({ abi: parseAbi([operation7, handleOps]), args })
  }

  const envelopes: [string, Address, (...operations: ReturnType<typeof operation>[]) => Hex][] = [
    [
      '0.6',
      entryPoint06Address,
      (...operations) => {
        const args = [
          operations.map((userOperation) => ({ ...userOperation, ...gas6 })),
          stranger,
        ] as const
        return encodeFunctionData({ abi: parseAbi([operation6, handleOps]), args })
      },
    ],
    ['0.7', entryPoint07Address, handle7],
    ['0.8', entryPoint08Address, handle7],
    ['0.9', entryPoint09Address, handle7],
    [
      '0.6, aggregated',
      entryPoint06Address,
      (...operations) => {
        const userOps = operations.map((userOperation) => ({ ...userOperation, ...gas6 }))
        const args = [[{ userOps, aggregator: stranger, signature: '0x' }], stranger] as const
        return encodeFunctionData({ abi: parseAbi([operation6, batch, handleAggregatedOps]), args })
      },
    ],
    [
      '0.9, aggregated',
      entryPoint09Address,
      (...operations) => {
        const userOps = operations.map((userOperation) => ({ ...userOperation, ...gas7 }))
        const args = [[{ userOps, aggregator: stranger, signature: '0x' }], stranger] as const
        return encodeFunctionData({ abi: parseAbi([operation7, batch, handleAggregatedOps]), args })
      },
    ],
  ]

  describe.each(envelopes)('%s', (_, address, envelope) => {
    const to = address.toLowerCase() as Address
    test('counts the payer’s own operation, before and after a stranger’s', () => {
      expect(findCalls(envelope(payerOperation()), { to })).toEqual([reference])
      expect(findCalls(envelope(strange, payerOperation(), strange), { to })).toEqual([reference])
    })

    test('does not count a stranger’s operation, nor data that a bundler adds', () => {
      const plain = payerOperation(transfer())
      expect(findCalls(envelope(strange, plain), { to })).toEqual([])
      expect(findCalls(concat([envelope(plain), transfer(another)]), { to })).toEqual([])
      expect(findCalls(envelope({ ...plain, signature: transfer(another) }), { to })).toEqual([])
      expect(
        findCalls(envelope({ ...plain, paymasterAndData: transfer(another) }), { to }),
      ).toEqual([])
    })

    test('does not count in another contract that takes the same call', () => {
      expect(findCalls(envelope(payerOperation()), { to: stranger })).toEqual([])
    })

    test('does not count where offsets point elsewhere', () => {
      const input = envelope(payerOperation())
      // The offset of the list, increased by one word, with a word inserted before its target.
      const shifted: Hex = `0x${input.slice(2, 10)}${'60'.padStart(64, '0')}${input.slice(74, 138)}${'0'.repeat(64)}${input.slice(138)}`
      expect(findCalls(shifted, { to })).toEqual([])
    })
  })
})

describe('a Safe', () => {
  const execute = (data: Hex, signatures: Hex = '0x1234') =>
    encodeFunctionData({
      abi,
      functionName: 'execTransaction',
      args: [token, 0n, data, 0, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures],
    })

  test('counts the signed data, not spare signature bytes or trailing data', () => {
    expect(findCalls(execute(transfer(reference)), { to: payer })).toEqual([reference])
    expect(findCalls(execute(transfer(), transfer(another)), { to: payer })).toEqual([])
    expect(findCalls(concat([execute(transfer()), transfer(another)]), { to: payer })).toEqual([])
  })

  test('that is not the payer does not count', () => {
    expect(findCalls(execute(transfer(reference)), { to: stranger })).toEqual([])
  })
})

describe('the DelegationManager', () => {
  const manager: Address = '0xdb9b1e94b5b69df7e401ddbede43491141047db3'
  const delegation = (delegator: Address, terms: Hex) => ({
    ...({
      delegate: stranger,
      delegator,
      authority: zeroHash,
      salt: 1n,
      signature: '0x12',
    } as const),
    caveats: [{ enforcer: stranger, terms, args: transfer(another) }],
  })
  const chain = parseAbiParameters([
    'Delegation[] chain',
    'struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }',
    'struct Caveat { address enforcer; bytes terms; bytes args; }',
  ])
  const redeem = (...delegations: ReturnType<typeof delegation>[]) =>
    encodeFunctionData({
      abi,
      functionName: 'redeemDelegations',
      args: [[encodeAbiParameters(chain, [delegations])], [zeroHash], [transfer(another)]],
    })

  test('counts the terms that the payer signed, not the redeemer’s executions or arguments', () => {
    const exact = concat([token, zeroHash, transfer(reference)])
    expect(findCalls(redeem(delegation(payer, exact)), { to: manager })).toEqual([reference])
    expect(findCalls(redeem(delegation(payer, '0x')), { to: manager })).toEqual([])
    expect(findCalls(redeem(delegation(stranger, exact)), { to: manager })).toEqual([])
  })
})
