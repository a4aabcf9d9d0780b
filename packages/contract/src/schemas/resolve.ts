import { z } from 'zod'
import { authorizationSchema, gaslessSchema } from './authorize.ts'
import {
  addressSchema,
  exceptionsSchema,
  hashSchema,
  sharedFields,
  unitsSchema,
} from './paymentIntent.ts'
import { checkoutReceiptSchema } from './receipt.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

/** Body of `POST /v1/payment_intents/resolve`. Unknown properties are refused. */
export const resolveRequestSchema = z.strictObject({
  client_secret: z.string().min(1).max(200),
  after_version: z.int().min(0).optional().meta({
    description: 'Hold the response until `version` is greater, for at most `wait_seconds`.',
  }),
  wait_seconds: z.int().min(0).max(25).optional().meta({ description: 'Defaults to 0.' }),
  payer: addressSchema.optional().meta({
    description: 'The account that is about to pay, announced before its wallet gets the request.',
  }),
  reserve_amount: z.boolean().optional().meta({
    description:
      'True: the payer is about to pay by hand; reserve an amount where `manual_available` says that none is reserved yet.',
  }),
})

/** Response of `POST /v1/payment_intents/resolve`. Later versions only add fields. */
export const resolvedPaymentIntentSchema = responseObject({
  ...sharedFields,
  amount_units: unitsSchema.meta({
    description:
      'The amount to send: the payable amount wherever one is reserved, the price where only the reference tells payments apart. Never changes once one is reserved; compare orders by `id` or `price_units`.',
  }),
  price_units: unitsSchema.meta({ description: '`amount_units` of the creation.' }),
  version: z.int().meta({ description: 'Grows with each visible change.' }),
  server_time: timeSchema,
  as_of: timeSchema.optional().meta({
    description:
      'Present only while the database of the service is too slow: the response shows the state at this time, at most ten seconds before `server_time`. Resolve again as usual.',
  }),
  merchant_name: z.string().meta({
    description: 'As registered with the service; text, never HTML.',
  }),
  support: z.string().nullable().meta({
    description:
      'Contact of the merchant for payers: a mail address or an https URL; text, never HTML. null: none.',
  }),
  guide: z.string().nullable().meta({
    description:
      'Page where a payer without USDC learns how to get some: an https URL of the merchant; `none`: nothing is to be shown. null: the checkout names ways of its own.',
  }),
  amount_received_units: unitsSchema,
  confirmations: z.int(),
  tx_hash: hashSchema.nullable(),
  exceptions: exceptionsSchema,
  manual: responseObject({
    payable_amount_units: unitsSchema,
    payment_uri: z.string().meta({ description: 'EIP-681.' }),
  })
    .nullable()
    .meta({
      description:
        'The address and the amount due now for a payment by hand; null when only a transfer with the reference can be told apart, as the rest of a part payment at a shared wallet.',
    }),
  manual_available: z.boolean().meta({
    description:
      'True while `manual` is null because no amount is reserved for this payment of a payment link: `reserve_amount` reserves an amount, which changes `amount_units` once.',
  }),
  description: z.string().nullable().meta({
    description: 'The description of its payment link; text, never HTML. null: it pays no link.',
  }),
  near_misses: z.array(responseObject({ tx_hash: hashSchema, amount_units: unitsSchema })).meta({
    description:
      'Unmatched transfers to this wallet since the intent was created whose amount is its price or close to its payable amount, below or above it, newest first, at most 5. Only the merchant can say whose they are.',
  }),
  gasless: gaslessSchema.nullable().meta({
    description:
      'The message to sign to pay without gas; null where the service submits no authorizations now, or for this payment intent.',
  }),
  authorization: authorizationSchema.nullable(),
  receipt: checkoutReceiptSchema.nullable().meta({
    description: 'Proof of the payment of this payment intent; null until it has succeeded.',
  }),
  network: responseObject({
    name: z.string(),
    native_symbol: z.string(),
    rpc_url: z.string().meta({ description: 'For `wallet_addEthereumChain` (EIP-3085).' }),
    explorer_url: z.string().nullable().meta({
      description: 'null on a development chain, which no explorer covers.',
    }),
  }).meta({ description: 'The chain as a wallet must know it to switch to it.' }),
})

export type ResolveRequest = z.input<typeof resolveRequestSchema>
/** `status` is a plain string, which a comparison with a known value narrows. */
export type ResolvedPaymentIntent = Omit<z.output<typeof resolvedPaymentIntentSchema>, 'status'> & {
  status: string
}
