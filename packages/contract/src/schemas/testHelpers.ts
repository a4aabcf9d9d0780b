import { z } from 'zod'
import { chainNames } from '../chains.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { addressSchema, hashSchema, unitsSchema } from './paymentIntent.ts'
import { responseObject } from './responseObject.ts'
import { timeSchema } from './time.ts'

const from = addressSchema.optional().meta({
  description: 'An account of the development chain. Defaults to one that is not the recipient.',
})

const chain = z.enum(chainNames).optional().meta({
  description: 'Which development chain. Defaults to `base`, if it is one.',
})

/** Body of `POST /v1/test_helpers/payment_intents/:id/pay` and of `…/pay_late`. */
export const testPaymentSchema = z.strictObject({
  rail: z.enum(['reference', 'manual']).optional().meta({
    description:
      'A wallet that appends the reference (the default), or a bare transfer, as made by hand.',
  }),
  amount_units: unitsSchema.min(1).optional().meta({
    description: 'Defaults to the amount that the checkout shows now.',
  }),
  from,
})

/** Body of `POST /v1/test_helpers/payment_intents/:id/underpay`. */
export const testUnderpaymentSchema = z.strictObject({
  missing_units: unitsSchema.min(1).optional().meta({
    description: 'How much less than `amount_units` is paid. Defaults to half of it.',
  }),
  from,
})

/** Body of `POST /v1/test_helpers/chain/reorg`. */
export const testReorgSchema = z.strictObject({
  depth: z.int().min(1).max(64).meta({ description: 'How many of the last blocks are replaced.' }),
  chain,
})

/** Body of `POST /v1/test_helpers/chain/advance_time`, which moves the clocks of all development chains. */
export const testAdvanceTimeSchema = z.strictObject({
  seconds: z
    .int()
    .min(1)
    .max(30 * 24 * 60 * 60),
})

/** Body of `POST /v1/test_helpers/chain/mine`. */
export const testMineSchema = z.strictObject({
  blocks: z.int().min(1).max(1_000),
  chain,
})

/** Response of the helpers that pay. The transaction is sent but may not be in a block yet. */
export const testPaymentResponseSchema = responseObject({ tx_hash: hashSchema })

/** Response of the helpers that change the chain: the newest block. */
export const testChainResponseSchema = responseObject({
  block_number: z.int(),
  block_hash: hashSchema,
  block_time: timeSchema,
})

/** The endpoints of a service with a development chain. They are not published. */
export const testHelperEndpoints = {
  pay: {
    ...ofIntent('pay'),
    body: testPaymentSchema,
    isBodyOptional: true,
    summary: 'Pay a payment intent',
  },
  underpay: {
    ...ofIntent('underpay'),
    body: testUnderpaymentSchema,
    isBodyOptional: true,
    summary: 'Pay less than the price of a payment intent',
  },
  payLate: {
    ...ofIntent('pay_late'),
    body: testPaymentSchema,
    isBodyOptional: true,
    summary: 'Move the clocks past the deadline of a payment intent, then pay it',
  },
  mine: { ...ofChain('mine'), body: testMineSchema, summary: 'Make blocks' },
  advanceTime: {
    ...ofChain('advance_time'),
    body: testAdvanceTimeSchema,
    summary: 'Move the clocks of all development chains',
  },
  reorg: {
    ...ofChain('reorg'),
    body: testReorgSchema,
    summary: 'Replace the last blocks by empty ones',
  },
} as const satisfies Record<string, Endpoint>

function ofIntent<Action extends string>(action: Action) {
  return {
    method: 'POST',
    path: `/v1/test_helpers/payment_intents/{id}/${action}`,
    object: 'payment intent',
    auth: 'api_key',
    response: testPaymentResponseSchema,
    // A repeated request pays again.
    idempotency: 'unsafe',
  } as const
}

function ofChain<Action extends string>(action: Action) {
  return {
    method: 'POST',
    path: `/v1/test_helpers/chain/${action}`,
    auth: 'api_key',
    response: testChainResponseSchema,
    idempotency: 'unsafe',
  } as const
}

export type TestPayment = z.input<typeof testPaymentSchema>
export type TestUnderpayment = z.input<typeof testUnderpaymentSchema>
export type TestMine = z.input<typeof testMineSchema>
export type TestAdvanceTime = z.input<typeof testAdvanceTimeSchema>
export type TestReorg = z.input<typeof testReorgSchema>
export type TestPaymentResponse = z.output<typeof testPaymentResponseSchema>
export type TestChainResponse = z.output<typeof testChainResponseSchema>
