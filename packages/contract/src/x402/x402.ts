import { z } from 'zod'
import { type Address, chainFactsOf, usdcDomainVersion } from '../chains.ts'
import { transferAuthorizationSchema } from '../schemas/authorize.ts'
import { x402Reasons } from './x402Reason.ts'

/** Headers of x402 over HTTP; each carries JSON in base64. */
export const x402Headers = {
  /** In a 402: the requirements, {@link X402Required}. */
  required: 'payment-required',
  /** In a request: {@link X402Payment}. */
  signature: 'payment-signature',
  /** In the response to that request: {@link X402Settlement}. */
  response: 'payment-response',
  /** In a request by version 1, which is refused. */
  version1: 'x-payment',
} as const

/** One way to pay, of the scheme `exact`: an EIP-3009 authorization of this amount for this account. */
export type X402Requirements = {
  readonly scheme: 'exact'
  /** CAIP-2: `eip155:` and the chain id. */
  readonly network: string
  /** In smallest token units. */
  readonly amount: string
  readonly asset: Address
  readonly payTo: Address
  readonly maxTimeoutSeconds: number
  /** The token's EIP-712 domain, and the buyer's secret, {@link x402ClaimOf}. */
  readonly extra: { readonly name: string; readonly version: string; readonly claim?: string }
}

/** The body of a 402. */
export type X402Required = {
  readonly x402Version: 2
  readonly error: string
  readonly resource: { url: string; description: string; mimeType: string }
  readonly accepts: readonly X402Requirements[]
}

/** The JSON of a 402. `message` tells a payer who sent a payment of another version how to proceed. */
export function x402BodyOf(required: X402Required): X402Required & { readonly message?: string } {
  if (required.error !== x402Reasons.version_mismatch) return required
  const message =
    'Send a payment of x402 version 2 in the header PAYMENT-SIGNATURE. Version 1 and its header X-PAYMENT are not accepted.'
  return { ...required, message }
}

/** The outcome of a payment. */
export type X402Settlement = {
  readonly success: boolean
  readonly errorReason?: string
  /** The transaction hash; empty without a transaction. */
  readonly transaction: string
  readonly network: string
  readonly payer: string
}

const supportedVersion = 2

const paymentSchema = z.looseObject({
  x402Version: z.literal(supportedVersion),
  accepted: z.looseObject({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
    extra: z.looseObject({ name: z.string(), version: z.string() }),
  }),
  payload: z.looseObject({
    authorization: z.preprocess(lowerNonce, transferAuthorizationSchema),
    signature: z.string().regex(/^0x([a-fA-F0-9]{2}){64,4096}$/),
  }),
})

/** A payment as a client of x402 sends it. */
export type X402Payment = z.output<typeof paymentSchema>

export type ParsedX402Payment =
  | { readonly type: 'payment'; readonly payment: X402Payment }
  /** `reason` in the words of x402. */
  | { readonly type: 'refused'; readonly reason: string; readonly payer: string | null }

/**
 * The requirements for an x402 client that pays USDC.
 * @param terms.maxTimeoutSeconds how long the authorization must be valid
 * @param terms.claim see {@link x402ClaimOf}
 */
export function x402Requirements(terms: {
  chainId: number
  payTo: Address
  amountUnits: number | bigint
  maxTimeoutSeconds: number
  claim?: string
}): X402Requirements {
  const { usdc, usdcDomainName } = chainFactsOf(terms.chainId)
  const { claim } = terms
  return {
    scheme: 'exact',
    network: `eip155:${terms.chainId}`,
    amount: String(terms.amountUnits),
    asset: usdc,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: { name: usdcDomainName, version: usdcDomainVersion, ...(claim ? { claim } : {}) },
  }
}

/**
 * The buyer's secret: a seller's 402 has a new secret in `extra`, and a client sends back the `extra` that it accepted.
 * The chain shows authorization and signature to everybody, and never this secret. null: the payment has no secret that
 * cannot be guessed.
 */
export function x402ClaimOf({ accepted }: X402Payment): string | null {
  const { claim } = accepted.extra
  return typeof claim === 'string' && /^[\w-]{22,100}$/.test(claim) ? claim : null
}

/** A payment of version 1, as far as it is parsed. */
const version1Payment = btoa('{"x402Version":1}')

/**
 * The payment among the headers of a request, for {@link readX402Payment}; null: the request has none. Any value of
 * the header of version 1 is read as a payment of version 1.
 */
export function x402PaymentOf(header: (name: string) => string | null | undefined): string | null {
  return header(x402Headers.signature) || (header(x402Headers.version1) ? version1Payment : null)
}

/**
 * Reads a payment and compares it with the requirements. `maxTimeoutSeconds` may differ: it is the time that was left
 * at the 402. Signature, time and balance are not checked.
 */
export function readX402Payment(header: string, requirements: X402Requirements): ParsedX402Payment {
  const decoded = decodeX402(header)
  const parsed = paymentSchema.safeParse(decoded)
  if (!parsed.success) {
    const { x402Version = supportedVersion } = Object(decoded)
    const reason =
      x402Version === supportedVersion ? x402Reasons.payload_invalid : x402Reasons.version_mismatch
    return { type: 'refused', reason, payer: null }
  }
  const payment = parsed.data
  const { authorization } = payment.payload
  const reason = mismatch(payment, requirements)
  if (reason === null) return { type: 'payment', payment }
  return { type: 'refused', reason, payer: authorization.from }
}

/** JSON in base64, as a header. */
export function encodeX402(value: X402Required | X402Settlement | X402Payment): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

/** The value of a header; undefined if it is not JSON in base64. */
export function decodeX402(header: string): unknown {
  try {
    const bytes = Uint8Array.from(atob(header), (character) => character.charCodeAt(0))
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function mismatch(
  { accepted, payload }: X402Payment,
  requirements: X402Requirements,
): string | null {
  if (accepted.scheme !== requirements.scheme) return x402Reasons.scheme_mismatch
  if (accepted.network !== requirements.network) return x402Reasons.network_mismatch
  if (!isSame(accepted.asset, requirements.asset)) return x402Reasons.requirements_mismatch
  if (accepted.extra.name !== requirements.extra.name) return x402Reasons.token_name_mismatch
  if (accepted.extra.version !== requirements.extra.version) {
    return x402Reasons.token_version_mismatch
  }
  const { to, value } = payload.authorization
  if (!isSame(accepted.payTo, requirements.payTo) || !isSame(to, requirements.payTo)) {
    return x402Reasons['authorization.to']
  }
  if (accepted.amount !== requirements.amount || value !== requirements.amount) {
    return x402Reasons['authorization.value']
  }
  return null
}

function isSame(address: string, other: Address): boolean {
  return address.toLowerCase() === other.toLowerCase()
}

/** Compares nonces as text. */
function lowerNonce(authorization: unknown): unknown {
  const { nonce } = Object(authorization)
  if (typeof nonce !== 'string') return authorization
  return { ...Object(authorization), nonce: nonce.toLowerCase() }
}
