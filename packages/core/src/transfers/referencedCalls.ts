import type { Address } from '@payment-intents/contract'
import {
  type AbiParameter,
  type DecodeAbiParametersReturnType,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
} from 'viem'
import {
  delegationChain,
  delegationManager,
  type EnvelopeFunction,
  entryPoints,
  execTransaction,
  handleAggregatedOps6,
  handleAggregatedOps7,
  handleOps6,
  handleOps7,
  redeemDelegations,
  transferSelector,
} from './envelopeContracts.ts'
import type { ObservedTransaction } from './observedTransaction.ts'

/** A transfer that the payer requested with a reference after its arguments. */
export type ReferencedCall = {
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  readonly reference: Hex
}

/** The parts of a transaction in which calls are searched. */
type UndecodedTransaction = Pick<
  ObservedTransaction,
  'sender' | 'to' | 'token' | 'input' | 'transfers'
>

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
export function referencedCalls(transaction: UndecodedTransaction): ReferencedCall[] {
  const transfersByCall = new Map(
    transaction.transfers
      .filter(({ token }) => token === transaction.token)
      .map((transfer) => [`${transfer.from}${callData(transfer.to, transfer.amount)}`, transfer]),
  )
  const authorizedBy = authorizedBytes(transaction)
  const calls: (ReferencedCall & { at: number })[] = []
  for (const payer of new Set([...transfersByCall.values()].map(({ from }) => from))) {
    for (const [index, piece] of authorizedBy(payer).entries()) {
      for (const { at, call, reference } of callsIn(piece)) {
        const transfer = transfersByCall.get(`${payer}${call}`)
        if (!transfer) continue
        const { from, to, amount } = transfer
        calls.push({ at: index * 2 ** 32 + at, from, to, amount, reference })
      }
    }
  }
  return calls.sort((a, b) => a.at - b.at).map(({ at, ...call }) => call)
}

/** Bytes that an account authorised, as hexadecimal digits. */
type Signed = {
  readonly bytes: string
  /** Only a call at the start counts. */
  readonly atStart?: boolean
}

/** The bytes that each payer of a transaction authorised. Envelopes are decoded once for all payers. */
function authorizedBytes({
  sender,
  to,
  token,
  input,
}: UndecodedTransaction): (payer: Address) => readonly Signed[] {
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
  const execution = decode(execTransaction, bytes)
  return execution ? [{ bytes: execution[2].slice(2) }] : []
}

/** `callData` of the operations of each sender. */
function operationsIn(bytes: string): ReadonlyMap<string, readonly Signed[]> {
  const operations =
    decode(handleOps6, bytes)?.[0] ??
    decode(handleOps7, bytes)?.[0] ??
    decode(handleAggregatedOps6, bytes)?.[0].flatMap(({ userOps }) => userOps) ??
    decode(handleAggregatedOps7, bytes)?.[0].flatMap(({ userOps }) => userOps) ??
    []
  return bySigner(
    [...operations].map(({ sender, callData }) => ({ signer: sender, bytes: callData })),
  )
}

/**
 * The terms of the caveats that each delegator signed. The redeemer chooses what is executed, so only the terms of an
 * exact-execution caveat, which contain the calldata, prove what the payer authorised.
 */
function delegationsIn(bytes: string): ReadonlyMap<string, readonly Signed[]> {
  const contexts = decode(redeemDelegations, bytes)?.[0] ?? []
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
    const group = grouped.get(signer.toLowerCase()) ?? []
    grouped.set(signer.toLowerCase(), group)
    group.push({ bytes: bytes.slice(2) })
  }
  return grouped
}

/** The arguments of a call to this function; null if it calls another or the encoding is not canonical. */
function decode<const Inputs extends readonly AbiParameter[]>(
  { selector, inputs }: EnvelopeFunction<Inputs>,
  bytes: string,
): DecodeAbiParametersReturnType<Inputs> | null {
  return bytes.startsWith(selector)
    ? decodeCanonically(inputs, `0x${bytes.slice(selector.length)}`)
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
