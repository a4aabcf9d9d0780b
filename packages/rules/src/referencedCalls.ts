import type { Address } from '@payment-intents/contract'
import {
  type AbiParameter,
  type DecodeAbiParametersReturnType,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
} from 'viem'
import type { ObservedTransaction } from './transaction.ts'

/** A transfer that the payer requested with a reference after its arguments. */
export type ReferencedCall = {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly reference: Hex
}

/**
 * The `transfer(to, amount)` calls followed by 32 bytes that match the transaction's transfers and that their payer
 * authorised. The submitter of a transaction can add bytes around what others signed, so a call counts only:
 *
 * 1. at offset 0 of a transaction to the token itself, from the payer;
 * 2. anywhere in the input of a transaction that the payer sent;
 * 3. in what the payer signed inside a known envelope: the operation of an ERC-4337 EntryPoint, a Safe transaction,
 *    the caveats of a delegation.
 *
 * @returns in the order of each payer's calldata
 */
export function referencedCalls(
  transaction: Omit<ObservedTransaction, 'blockNumber' | 'timestamp'>,
): ReferencedCall[] {
  const asked = new Map(
    transaction.transfers
      .filter((transfer) => !transfer.wrongToken)
      .map((transfer) => [`${transfer.from}${callData(transfer.to, transfer.amount)}`, transfer]),
  )
  const signedBy = signatures(transaction)
  const found: (ReferencedCall & { at: number })[] = []
  for (const payer of new Set([...asked.values()].map(({ from }) => from))) {
    for (const [index, piece] of signedBy(payer).entries()) {
      for (const { at, call, reference } of callsIn(piece)) {
        const transfer = asked.get(`${payer}${call}`)
        if (!transfer) continue
        const { from, to, amount } = transfer
        found.push({ at: index * 2 ** 32 + at, from, to, amount, reference })
      }
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ at, ...call }) => call)
}

/** Bytes that an account authorised, as hexadecimal digits. */
type Signed = {
  readonly bytes: string
  /** Only a call at the start counts. */
  readonly atStart?: boolean
}

/** The bytes that each payer of a transaction authorised. Envelopes are decoded once for all payers. */
function signatures({
  sender,
  to,
  token,
  input,
}: Omit<ObservedTransaction, 'blockNumber' | 'timestamp'>): (payer: Address) => readonly Signed[] {
  const bytes = input.slice(2)
  if (to === token) return (payer) => (sender === payer ? [{ bytes, atStart: true }] : [])
  const enveloped =
    to && entryPoints.includes(to)
      ? operationsIn(bytes)
      : to === delegationManager
        ? delegationsIn(bytes)
        : new Map(to ? [[to, safeTransaction(bytes)]] : [])
  return (payer) => (sender === payer ? [{ bytes }] : (enveloped.get(payer) ?? []))
}

const transferSelector = 'a9059cbb'
const callLength = transferSelector.length + 2 * 64

function* callsIn({ bytes, atStart }: Signed) {
  const next = (from: number) => bytes.indexOf(transferSelector, from)
  for (let at = next(0); at >= 0; at = next(at + 1)) {
    if (atStart && at > 0) return
    const call = bytes.slice(at, at + callLength)
    const reference = bytes.slice(at + callLength, at + callLength + 64)
    // An odd offset is a match across byte boundaries, not a call.
    if (at % 2 === 0 && reference.length === 64) {
      yield { at, call, reference: `0x${reference}` as Hex }
    }
  }
}

function callData(to: Address, amount: bigint): string {
  return `${transferSelector}${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`
}

/** Safe `execTransaction`: `data` is signed; bytes after the arguments and spare signature bytes are not. */
function safeTransaction(bytes: string): readonly Signed[] {
  const execution = decode('6a761202', safeExecution, bytes)
  return execution ? [{ bytes: execution[2].slice(2) }] : []
}

/** ERC-4337 EntryPoint 0.6, 0.7, 0.8 and 0.9, at the same addresses on every chain. */
const entryPoints: readonly Address[] = [
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e9b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
]

/** `callData` of the operations of each sender. */
function operationsIn(bytes: string): ReadonlyMap<string, readonly Signed[]> {
  const operations =
    decode('1fad948c', handleOps6, bytes)?.[0] ??
    decode('765e827f', handleOps7, bytes)?.[0] ??
    decode('4b1d7cf5', handleAggregatedOps6, bytes)?.[0].flatMap(({ userOps }) => userOps) ??
    decode('dbed18e0', handleAggregatedOps7, bytes)?.[0].flatMap(({ userOps }) => userOps) ??
    []
  return bySigner(
    [...operations].map(({ sender, callData }) => ({ signer: sender, bytes: callData })),
  )
}

/** MetaMask's DelegationManager 1.3.0, at the same address on every chain. */
const delegationManager: Address = '0xdb9b1e94b5b69df7e401ddbede43491141047db3'

/**
 * The terms of the caveats that each delegator signed. The redeemer chooses what is executed, so only the terms of an
 * exact-execution caveat, which contain the calldata, prove what the payer authorised.
 */
function delegationsIn(bytes: string): ReadonlyMap<string, readonly Signed[]> {
  const contexts = decode('cef6d209', redeemDelegations, bytes)?.[0] ?? []
  return bySigner(
    contexts.flatMap((context) => {
      const delegations = decodeCanonically(delegationChain, context)?.[0] ?? []
      return delegations.flatMap(({ delegator, caveats }) =>
        caveats.map(({ terms }) => ({ signer: delegator, bytes: terms })),
      )
    }),
  )
}

function bySigner(
  signed: readonly { signer: Address; bytes: Hex }[],
): ReadonlyMap<string, readonly Signed[]> {
  const grouped = new Map<string, Signed[]>()
  for (const { signer, bytes } of signed) {
    const own = grouped.get(signer.toLowerCase()) ?? []
    grouped.set(signer.toLowerCase(), own)
    own.push({ bytes: bytes.slice(2) })
  }
  return grouped
}

const safeExecution = parseAbiParameters(
  'address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures',
)
const operation6 =
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }'
const operation7 =
  'struct Operation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }'
const handled = 'Operation[] operations, address beneficiary'
const aggregated = 'struct Batch { Operation[] userOps; address aggregator; bytes signature; }'
const handleOps6 = parseAbiParameters([handled, operation6])
const handleOps7 = parseAbiParameters([handled, operation7])
const handleAggregatedOps6 = parseAbiParameters([
  'Batch[] batches, address beneficiary',
  aggregated,
  operation6,
])
const handleAggregatedOps7 = parseAbiParameters([
  'Batch[] batches, address beneficiary',
  aggregated,
  operation7,
])
const redeemDelegations = parseAbiParameters(
  'bytes[] permissionContexts, bytes32[] modes, bytes[] executionCallDatas',
)
const delegationChain = parseAbiParameters([
  'Delegation[] delegations',
  'struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }',
  'struct Caveat { address enforcer; bytes terms; bytes args; }',
])

/** The arguments of a call to this selector; null if the selector differs or the encoding is not canonical. */
function decode<const Types extends readonly AbiParameter[]>(
  selector: string,
  types: Types,
  bytes: string,
): DecodeAbiParametersReturnType<Types> | null {
  return bytes.startsWith(selector)
    ? decodeCanonically(types, `0x${bytes.slice(selector.length)}`)
    : null
}

/**
 * Returns null unless encoding the decoded values gives the same bytes: with non-canonical offsets the contract could
 * execute other calldata than is decoded here. Trailing bytes are ignored, as the contract ignores them.
 */
function decodeCanonically<const Types extends readonly AbiParameter[]>(
  types: Types,
  data: Hex,
): DecodeAbiParametersReturnType<Types> | null {
  try {
    const values = decodeAbiParameters(types, data)
    return data.startsWith(encodeAbiParameters(types as readonly AbiParameter[], values as never))
      ? values
      : null
  } catch {
    // Not ABI-encoded arguments of this function.
    return null
  }
}
