import { z } from 'zod'
import { addressSchema, hashSchema, sharedFields, unitsSchema } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** A uint256 in wallets' typed messages: decimal digits. */
const uint256Schema = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, {
    error: 'must be a non-negative integer in decimal digits, as a string',
    abort: true,
  })
  .refine((digits) => BigInt(digits) < 2n ** 256n, 'must be below 2^256')

/**
 * The message that a payer signs, with the names and order of the standard; also the `authorization` of an x402 payment.
 *
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export const transferAuthorizationSchema = z.strictObject({
  from: addressSchema,
  to: addressSchema,
  value: uint256Schema,
  validAfter: uint256Schema,
  validBefore: uint256Schema,
  nonce: hashSchema,
})

/** An authorization, signed. */
export const signedTransferFields = {
  authorization: transferAuthorizationSchema,
  signature: z
    .string()
    .regex(/^0x([a-fA-F0-9]{2}){64,4096}$/, 'must be 0x and 64 to 4096 bytes in hexadecimal digits')
    .meta({
      description: '65 or 64 bytes (EIP-2098), or bytes that the account checks (EIP-1271).',
    }),
}

/** Body of `POST /v1/payment_intents/authorize`. Unknown properties are refused. */
export const authorizeRequestSchema = z.strictObject({
  client_secret: z.string().min(1).max(200),
  ...signedTransferFields,
})

/** The message that a payer without gas signs. `from` is the account that pays. */
export const gaslessSchema = responseObject({
  fee_units: unitsSchema.meta({ description: 'The fee of the payer: 0.' }),
  domain: responseObject({
    name: z.string(),
    version: z.string(),
    chainId: z.int(),
    verifyingContract: addressSchema,
  }).meta({ description: "The token's EIP-712 domain." }),
  message: responseObject(transferAuthorizationSchema.omit({ from: true }).shape).meta({
    description: 'Of `TransferWithAuthorization` (EIP-3009), without `from`.',
  }),
})

/** The newest authorization that was submitted for a payment intent. */
export const authorizationSchema = responseObject({
  from: addressSchema,
  status: z.string().meta({
    description:
      'One of in_flight, used, refused, expired; accept values added later. While it is in_flight, any other payment would pay twice. If it is refused with the reason gasless_unavailable, the service withdrew it, and it may be submitted again.',
  }),
  reason: z.string().nullable().meta({ description: 'Why it was refused; else null.' }),
  tx_hash: hashSchema.nullable().meta({
    description:
      'The transaction it was last broadcast in; null before. Once it was broadcast, anybody can broadcast it again: it stays in_flight until it is used or valid_before is past.',
  }),
  valid_before: timeSchema.meta({
    description: 'It may pay until this time, by the clock of the chain.',
  }),
})

/** Response of `POST /v1/payment_intents/authorize`. `resolve` shows its outcome. */
export const authorizedPaymentIntentSchema = responseObject({
  id: z.string(),
  status: sharedFields.status,
  version: z
    .int()
    .meta({ description: 'As in the response of resolve: pass it as after_version.' }),
  authorization: authorizationSchema,
})

export type AuthorizedPaymentIntent = z.output<typeof authorizedPaymentIntentSchema>
export type TransferAuthorization = z.output<typeof transferAuthorizationSchema>
export type AuthorizeRequest = z.input<typeof authorizeRequestSchema>
export type GaslessOffer = z.output<typeof gaslessSchema>
