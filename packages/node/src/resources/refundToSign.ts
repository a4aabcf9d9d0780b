import {
  chainFacts,
  type ListedRefund,
  type Mode,
  type Refund,
  usdcDomainVersion,
} from '@payment-intents/contract'
import { authorizationTypes } from '@payment-intents/contract/usdc'
import { PaymentIntentsError } from '../errors/paymentIntentsError.ts'
import type { RefundToSign } from './refundSigner.ts'

/** The terms that the caller wants signed. An undefined field is unknown. */
export type RefundTerms = Pick<ListedRefund, 'id' | 'amount_units'> & {
  readonly destination: string
  readonly payment_intent?: string | null | undefined
  readonly transfer?: string | null | undefined
  readonly chain?: string | undefined
  /** The mode of the API key: a test key signs nothing of value. */
  readonly mode?: Mode | undefined
  /** The nonce. The token accepts it once, so another nonce would be a second payment. */
  readonly refund_reference?: string | undefined
}

/** The longest validity of a signature: the time that the service requests, and some minutes for clocks that differ. */
const longestSeconds = 30 * 60

/**
 * Builds the message that a wallet signs to pay a refund. It contains the caller's terms, and nothing else from the
 * service.
 *
 * @param from the wallet's address
 * @throws PaymentIntentsError `conflict` if the refund has another destination by now, `invalid_response` if the
 *   service requests anything but the terms
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export function refundToSign(
  refund: Refund,
  terms: RefundTerms,
  from: `0x${string}`,
): RefundToSign {
  const { typed_data: typedData, destination, amount_units, refund_reference } = refund
  const to = terms.destination as `0x${string}`
  if (!isSame(destination, to)) throw destinationChanged(refund, to)
  const domain = domainOf(refund)
  const primaryType = 'TransferWithAuthorization'
  const message = { ...Object(typedData?.message) }
  const expected: [name: string, isSo: boolean][] = [
    ['id', refund.id === terms.id],
    ['payment_intent', isAsStated(refund.payment_intent, terms.payment_intent)],
    ['transfer', isAsStated(refund.transfer, terms.transfer)],
    ['mode', isAsStated(refund.mode, terms.mode)],
    ['chain', isAsStated(refund.chain, terms.chain)],
    ['refund_reference', isAsStated(refund_reference, terms.refund_reference)],
    ['amount_units', amount_units === terms.amount_units],
    ['typed_data.domain.name', typedData?.domain.name === domain.name],
    ['typed_data.domain.version', typedData?.domain.version === domain.version],
    ['typed_data.domain.chainId', typedData?.domain.chainId === domain.chainId],
    [
      'typed_data.domain.verifyingContract',
      isSame(typedData?.domain.verifyingContract, domain.verifyingContract),
    ],
    ['typed_data.types', JSON.stringify(typedData?.types) === JSON.stringify(authorizationTypes)],
    ['typed_data.primaryType', typedData?.primaryType === primaryType],
    ['typed_data.message.to', isSame(message.to, to)],
    ['typed_data.message.value', message.value === String(terms.amount_units)],
    ['typed_data.message.validAfter', message.validAfter === '0'],
    ['typed_data.message.validBefore', isSoon(refund, Number(message.validBefore))],
    ['typed_data.message.nonce', message.nonce === refund_reference],
  ]
  const mismatches = expected.filter(([, isSo]) => !isSo).map(([name]) => name)
  if (mismatches.length > 0) throw unexpectedTerms(mismatches)
  const validBefore = BigInt(message.validBefore)
  const nonce = refund_reference as `0x${string}`
  const value = BigInt(terms.amount_units)
  return {
    ...{ domain, types: authorizationTypes, primaryType },
    message: { from, to, value, validAfter: 0n, validBefore, nonce },
  }
}

function isAsStated(value: unknown, stated: unknown): boolean {
  return stated === undefined || value === stated
}

function isSame(a: unknown, b: string): boolean {
  return typeof a === 'string' && a.toLowerCase() === b.toLowerCase()
}

/** A test chain may have its own time. */
function isSoon({ mode }: Refund, validBefore: number): boolean {
  const seconds = validBefore - Date.now() / 1_000
  return mode === 'mainnet' ? seconds < longestSeconds : Number.isInteger(validBefore)
}

function domainOf({ mode, chain }: Refund): RefundToSign['domain'] {
  const { usdcDomainName: name, chainId, usdc } = chainFacts(mode, chain)
  return { name, version: usdcDomainVersion, chainId, verifyingContract: usdc }
}

function destinationChanged({ id, destination }: Refund, to: string): PaymentIntentsError {
  return new PaymentIntentsError({
    ...{ code: 'conflict', reason: 'illegal_state' },
    message: `Nothing was signed: the destination of the refund ${id} is ${destination}, not ${to}. Retrieve the refund, and check it before you sign.`,
  })
}

function unexpectedTerms(mismatches: readonly string[]): PaymentIntentsError {
  return new PaymentIntentsError({
    code: 'invalid_response',
    message: `Nothing was signed: the data to sign differ from this refund (${mismatches.join(', ')}). Check baseUrl, and who runs the service.`,
  })
}
