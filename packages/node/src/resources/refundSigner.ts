import { PaymentIntentsError, rejected } from '../errors/paymentIntentsError.ts'

type Hex = `0x${string}`

/** A transfer of USDC to be signed (EIP-712, EIP-3009). */
export type RefundToSign = {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: Hex
  }
  readonly types: {
    readonly TransferWithAuthorization: readonly {
      readonly name: string
      readonly type: string
    }[]
  }
  readonly primaryType: 'TransferWithAuthorization'
  readonly message: {
    readonly from: Hex
    readonly to: Hex
    /** Units of 0.000001 USDC. */
    readonly value: bigint
    readonly validAfter: bigint
    /** Unix seconds. */
    readonly validBefore: bigint
    readonly nonce: Hex
  }
}

/** A wallet that signs refunds: an account of viem, or a client of a key management service. */
export type RefundSigner = {
  readonly address: Hex
  signTypedData(typedData: RefundToSign): Promise<Hex>
}

/** @throws PaymentIntentsError `invalid_body` */
export function checkSigner(signer: unknown): asserts signer is RefundSigner {
  if (isSigner(signer)) return
  const message =
    '`signer` must have an `address` and a function `signTypedData`, such as an account of viem'
  throw rejected('invalid_body', `Nothing was sent, since an option is wrong: ${message}.`, [
    { path: 'signer', message },
  ])
}

/** A getter may throw, with a key in its error. */
function isSigner(signer: unknown): boolean {
  try {
    const { address, signTypedData } = Object(signer)
    return isAddress(address) && typeof signTypedData === 'function'
  } catch {
    return false
  }
}

export function isAddress(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[a-fA-F0-9]{40}$/.test(value)
}

/**
 * Signs a refund. The signer's error may contain its key, so it is discarded.
 *
 * @throws PaymentIntentsError `signer_failed`
 */
export async function signTypedData(
  signer: RefundSigner,
  refundId: string,
  typedData: RefundToSign,
): Promise<Hex> {
  try {
    // A copy: some libraries change the object that they sign.
    const signature: unknown = await signer.signTypedData(structuredClone(typedData))
    if (isSignature(signature)) return signature
  } catch {
    // The error below omits the signer's message.
  }
  throw new PaymentIntentsError({
    code: 'signer_failed',
    message: `The signer returned no signature, so the refund ${refundId} waits for it; repeat the call, which is safe.`,
    retryable: true,
  })
}

function isSignature(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x([a-fA-F0-9]{2}){64,4096}$/.test(value)
}
