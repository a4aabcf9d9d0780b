import type { TransferAuthorization } from '@payment-intents/contract'
import { authorizationTypes } from '@payment-intents/contract/usdc'
import type { DevAccount, DevChain } from '@payment-intents/testing'
import { type Address, type Hex, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { tokenCall } from '../../../src/relayer/rpc/tokenCall.ts'
import type { Json } from '../server/testServer.ts'

type Token = Pick<DevChain, 'chainId' | 'token'>

/** Signs a transfer (EIP-3009). Returns the calldata, which anybody can send to the token. */
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

/** The calldata of a signed transfer. */
export function authorizedTransfer(
  { from, to, value, validAfter, validBefore, nonce }: TransferAuthorization,
  signature: Hex,
): Hex {
  const signed = {
    // The calldata does not name the token.
    ...{ token: zeroAddress, authorizer: from as Address, recipient: to as Address },
    ...{ amount: BigInt(value), nonce: nonce as Hex, signature },
    ...{ validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
  }
  return tokenCall(signed, { hasCode: true }).data
}

/** The message that `resolve` offers a payer without gas, for this account, and perhaps with other terms. */
export function messageOf(
  { gasless }: Json,
  { address }: Pick<DevAccount, 'address'>,
  more: Partial<TransferAuthorization> = {},
): TransferAuthorization {
  return { from: address, ...gasless.message, ...more }
}

/** Signs a message like a wallet. */
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
