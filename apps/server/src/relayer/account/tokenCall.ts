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
 * The gas limit of a form of the call. With a signature of a private key, a payer's first payment to a recipient that
 * had nothing takes 90,000 of the test token, and about 100,000 of USDC, which is behind a proxy. An account with code,
 * also by EIP-7702, checks the signature itself, which leaves it about 190,000. It may be an attacker's code: it can
 * burn its limit, and no more.
 * @see https://github.com/circlefin/stablecoin-evm/issues/347
 */
const gas = { key: 150_000n, code: 300_000n }

/** The gas of an empty transaction. */
export const emptyGas = 21_000n

/**
 * The call of EIP-3009 that moves the money. The same call is simulated when a payer submits an authorization, and broadcast.
 * For accounts without code it passes
 * `v`, `r` and `s`, which every release of the token accepts; for accounts with code the signature as bytes, which the token passes on (EIP-1271).
 *
 * @param signed.signature of an account without code: 65 bytes, `r`, `s` and `v`, which is 27 or 28
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

/** The gas of a payment from an account without code. */
export const usualGas = gas.key

/** The maximum gas of a payment. */
export const maxGas = gas.code
