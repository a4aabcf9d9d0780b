import type { TransferAuthorization } from '@payment-intents/contract'
import { authorizationTypes } from '@payment-intents/contract/usdc'
import type { DevAccount, DevChain } from '@payment-intents/testing'
import { type Address, type Hex, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { tokenCall } from '../../../src/relayer/rpc/tokenCall.ts'
import type { Json } from '../server/testServer.ts'

type Token = Pick<DevChain, 'chainId' | 'token'>

/** Calldata of the token for a transfer that an account has signed (EIP-3009): anyone can submit it. */
export async function authorization(
  token: Token,
  payer: DevAccount,
  { to, amount, nonce }: { to: Address; amount: number; nonce: Hex },
): Promise<Hex> {
  const message = {
    ...{ from: payer.address, to, value: String(amount), nonce },
    ...{ validAfter: '0', validBefore: String(2n ** 40n) },
  }
  return authorizedTransfer(message, await sign(token, payer, message))
}

/** Calldata of the token for an account's signed transfer. */
export function authorizedTransfer(
  { from, to, value, validAfter, validBefore, nonce }: TransferAuthorization,
  signature: Hex,
): Hex {
  const signed = {
    // Calldata does not name its token.
    ...{ token: zeroAddress, authorizer: from as Address, recipient: to as Address },
    ...{ amount: BigInt(value), nonce: nonce as Hex, signature },
    ...{ validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
  }
  return tokenCall(signed, { hasCode: true }).data
}

/** The offer of `resolve` to a payer without gas, as this account's, and perhaps with other terms. */
export function messageOf(
  { gasless }: Json,
  { address }: Pick<DevAccount, 'address'>,
  more: Partial<TransferAuthorization> = {},
): TransferAuthorization {
  return { from: address, ...gasless.message, ...more }
}

/** As a wallet signs it. */
export function sign(
  { chainId, token }: Token,
  payer: Pick<DevAccount, 'privateKey'>,
  { from, to, value, validAfter, validBefore, nonce }: TransferAuthorization,
): Promise<Hex> {
  return privateKeyToAccount(payer.privateKey).signTypedData({
    domain: { name: 'USDC', version: '2', chainId, verifyingContract: token },
    primaryType: 'TransferWithAuthorization',
    types: authorizationTypes,
    message: {
      from: from as Address,
      to: to as Address,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as Hex,
    },
  })
}
