import type { Address, TransferAuthorization } from '@payment-intents/contract'
import type { Hex } from 'viem'
import {
  type RefusedAuthorization,
  refusalByToken,
  refusedAuthorization,
} from './authorizationRefusals.ts'
import type { ParsedSignature } from './readSignature.ts'

/** The state of the account and the token, and the result of the relayer's call, at one block. */
export type Simulation = {
  /** Hash of the account's code, which checks its signatures (EIP-1271, EIP-7702); null: it has none. */
  readonly codeHash: Hex | null
  readonly balance: bigint
  readonly isPaused: boolean
  readonly isPayerBlocked: boolean
  readonly isRecipientBlocked: boolean
  /** The token has used the nonce, or the account has canceled it. */
  readonly nonceUsed: boolean
  /** The result of the relayer's call. `unknown`: the node did not say why it failed. */
  readonly simulated: 'passed' | 'reverted' | 'unknown'
}

/**
 * Simulates the call that a relayer would send for a signed transfer.
 * @returns null if no provider of the chain responds
 */
export type SimulateTransfer = (
  chainId: number,
  signed: { readonly authorization: TransferAuthorization; readonly signature: Hex },
) => Promise<Simulation | null>

export type ValidatedSignedTransfer =
  | {
      readonly type: 'validated'
      /** In the form that the token accepts. */
      readonly signature: Hex
      readonly simulation: Simulation
      /** Why the token would refuse the transfer; null: the token accepts it. */
      readonly refusal: RefusedAuthorization | null
    }
  /** The signature is not the account's. */
  | RefusedAuthorization
  /** No provider of the chain responds. */
  | { readonly type: 'unavailable' }

type Readable = Exclude<ParsedSignature, { type: 'invalid' }>

/**
 * Validates a signed transfer against the chain, at submission and again before each broadcast. Both decide in the same
 * way which form of the signature the token accepts, even if the account gained or dropped its code in between.
 */
export async function validateSignedTransfer(
  simulate: (signed: {
    authorization: TransferAuthorization
    signature: Hex
  }) => Promise<Simulation | null>,
  {
    authorization,
    parsedSignature,
  }: { authorization: TransferAuthorization; parsedSignature: ParsedSignature },
): Promise<ValidatedSignedTransfer> {
  if (parsedSignature.type === 'invalid')
    return refusedAuthorization('signature_invalid', parsedSignature.message)
  const { signature } = parsedSignature
  const simulation = await simulate({ authorization, signature })
  if (!simulation) return { type: 'unavailable' }
  const { nonceUsed: isUsed } = simulation
  // A used nonce takes precedence over the signature: the transfer may have happened.
  const signatureRefusal = isUsed
    ? null
    : refusalBySignature(parsedSignature, simulation, authorization.from as Address)
  if (signatureRefusal) return signatureRefusal
  const facts = { ...simulation, isUsed, value: BigInt(authorization.value), promised: 0n }
  const refusal = refusalByToken(facts) ?? refusalBySimulation(parsedSignature, simulation)
  return { type: 'validated', signature, simulation, refusal }
}

/**
 * The refusal of a signature that neither the account's private key made nor its code can verify; null: it is not
 * refused here.
 */
function refusalBySignature(
  parsedSignature: Readable,
  { codeHash }: Simulation,
  from: Address,
): RefusedAuthorization | null {
  if (codeHash !== null || (parsedSignature.type === 'account' && parsedSignature.signer === from))
    return null
  const message =
    parsedSignature.type === 'account'
      ? `The signature is from ${parsedSignature.signer}, or for another message, chain or token; it must be from ${from}.`
      : parsedSignature.message
  return refusedAuthorization('signature_invalid', message)
}

/** The refusal if the token refuses the call although everything else is valid; null: it accepts the call. */
function refusalBySimulation(
  { type }: Readable,
  { simulated, codeHash }: Simulation,
): RefusedAuthorization | null {
  if (simulated === 'passed') return null
  if (simulated === 'reverted' && (codeHash !== null || type === 'contract')) {
    const message = 'The code of the account refuses the signature (EIP-1271).'
    return refusedAuthorization('signature_invalid', message)
  }
  const message = 'USDC would refuse this authorization now: pay by a transfer.'
  return refusedAuthorization('gasless_unavailable', message)
}
