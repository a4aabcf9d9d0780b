import type { Address } from '@payment-intents/contract'
import { encodeFunctionData, type Hex, parseAbi, slice } from 'viem'
import type { Waiting } from '../../store/relaying/waitingAuthorizations.ts'

/** The message that the payer signed. */
export type Signed = Pick<
  Waiting,
  | 'token'
  | 'authorizer'
  | 'recipient'
  | 'amount'
  | 'validAfter'
  | 'validBefore'
  | 'nonce'
  | 'signature'
>

/** A call of the token, with its gas limit. */
export type Call = { readonly to: Address; readonly data: Hex; readonly gas: bigint }

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/**
 * The gas limits of the two forms of the call. `key`: a payer's first payment to a recipient without a balance uses
 * 90,000 gas with the test token, and about 100,000 with USDC, which is behind a proxy. `code`: the account's own code
 * checks the signature, also under EIP-7702, and has about 190,000 gas for this. An attacker's code can burn the limit,
 * and no more.
 * @see https://github.com/circlefin/stablecoin-evm/issues/347
 */
const gas = { key: 150_000n, code: 300_000n }

/** The gas limit of an empty transaction. */
export const emptyGas = 21_000n

/**
 * Encodes the call of EIP-3009 that moves the money. It is simulated when a payer submits an authorization, and
 * broadcast later. For an account without code it passes `v`, `r` and `s`, which every release of the token accepts.
 * For an account with code it passes the signature as bytes, which the token hands to the code (EIP-1271).
 *
 * @param signed.signature without code: 65 bytes, `r`, `s` and `v`, which is 27 or 28
 */
export function tokenCall(signed: Signed, account: { hasCode: boolean }): Call {
  const { token, authorizer, recipient, amount, validAfter, validBefore, nonce, signature } = signed
  const terms = [authorizer, recipient, amount, validAfter, validBefore, nonce] as const
  if (account.hasCode) {
    const args = [...terms, signature] as const
    const data = encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
    return { to: token, data, gas: gas.code }
  }
  const v = Number(slice(signature, 64))
  const args = [...terms, v, slice(signature, 0, 32), slice(signature, 32, 64)] as const
  const data = encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
  return { to: token, data, gas: gas.key }
}

/** The gas limit of a payment from an account without code. */
export const usualGas = gas.key

/** The maximum gas limit of a payment. */
export const maxGas = gas.code
