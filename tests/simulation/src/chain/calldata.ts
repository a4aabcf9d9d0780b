import type { Address } from '@payment-intents/contract'
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
  zeroHash,
} from 'viem'
import type { Part, Transaction } from './transaction.ts'

const built = new WeakMap<Transaction, Hex>()

/** The input of a transaction: every call in its envelope, at any offset that its surroundings require. */
export function calldata(transaction: Transaction): Hex {
  const cached = built.get(transaction)
  if (cached) return cached
  const input = build(transaction)
  built.set(transaction, input)
  return input
}

function build({ envelope, parts, to, sender }: Transaction): Hex {
  const unsigned = textOf(parts.filter(({ signer }) => signer === null))
  switch (envelope) {
    case 'token':
    case 'contract':
      return `0x${textOf(parts)}`
    case 'authorization':
      return `0x${authorization(parts)}${unsigned}`
    case 'entry_point':
      return `${bundle(piecesOf(parts), sender, unsigned)}${unsigned}`
    case 'safe':
      return `${safe(textOf(parts.filter(({ signer }) => signer === to)), unsigned)}${unsigned}`
    case 'delegation':
      return `${redemption(piecesOf(parts), sender, unsigned)}${unsigned}`
  }
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => part.before + call(part)).join('')
}

function call({ called, to, amount, tail }: Part): string {
  if (!called) return tail
  const words = [to.slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'))
  return `a9059cbb${words.join('')}${tail}`
}

type Piece = { readonly signer: Address; readonly text: Hex }

/** The calls that each account authorised, as one piece for calls that follow each other. */
function piecesOf(parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = []
  for (const part of parts) {
    const { signer } = part
    if (!signer) continue
    const last = pieces.at(-1)
    const text = textOf([part])
    if (last?.signer === signer) pieces.splice(-1, 1, { signer, text: `${last.text}${text}` })
    else pieces.push({ signer, text: `0x${text}` })
  }
  return pieces
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function handleOps(Operation[] ops, address beneficiary)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'function redeemDelegations(bytes[] permissionContexts, bytes32[] modes, bytes[] executionCallDatas)',
])
const delegations = parseAbiParameters([
  'Delegation[] chain',
  'struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }',
  'struct Caveat { address enforcer; bytes terms; bytes args; }',
])

function authorization(parts: readonly Part[]): string {
  const paid = parts.find(({ moved }) => moved)
  if (!paid) return ''
  const { from, to, amount, nonce } = paid
  const args = [from, to, amount, 0n, 2n ** 40n, nonce ?? zeroHash, 27, zeroHash, zeroHash] as const
  return encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args }).slice(2)
}

/** A bundler can change the signatures, which no signature covers, and what follows the arguments. */
function bundle(pieces: readonly Piece[], bundler: Address, unsigned: string): Hex {
  const operations = pieces.map(({ signer, text }, index) => ({
    sender: signer,
    nonce: BigInt(index),
    initCode: '0x' as const,
    callData: text,
    accountGasLimits: zeroHash,
    preVerificationGas: 1n,
    gasFees: zeroHash,
    paymasterAndData: '0x' as const,
    signature: `0x1234${unsigned}` as const,
  }))
  return encodeFunctionData({ abi, functionName: 'handleOps', args: [operations, bundler] })
}

function safe(data: string, unsigned: string): Hex {
  const called = [zeroAddress, 0n, `0x${data}`, 0, 0n, 0n, 0n, zeroAddress, zeroAddress] as const
  const args = [...called, `0x1234${unsigned}`] as const
  return encodeFunctionData({ abi, functionName: 'execTransaction', args })
}

/** The redeemer chooses the executed call and the arguments of the caveats. */
function redemption(pieces: readonly Piece[], redeemer: Address, unsigned: string): Hex {
  const contexts = pieces.map(({ signer, text }) => {
    const caveat = { enforcer: zeroAddress, terms: text, args: `0x${unsigned}` as const }
    const delegation = { delegate: redeemer, delegator: signer, authority: zeroHash, salt: 1n }
    const signed = { ...delegation, caveats: [caveat], signature: '0x1234' } as const
    return encodeAbiParameters(delegations, [[signed]])
  })
  const modes = contexts.map(() => zeroHash)
  const executions = contexts.map(() => `0x${unsigned}` as const)
  const args = [contexts, modes, executions] as const
  return encodeFunctionData({ abi, functionName: 'redeemDelegations', args })
}
