import {
  type Chain,
  type TestChainAnswer,
  type TestPayment,
  type TestPaymentAnswer,
  type TestUnderpayment,
  testAdvanceTimeSchema,
  testChainAnswerSchema,
  testMineSchema,
  testPaymentAnswerSchema,
  testPaymentSchema,
  testReorgSchema,
  testUnderpaymentSchema,
} from '@payment-intents/contract'
import type { ReadOptions } from './options.ts'
import { bodyOf, issuesOf, pathId, type Schema } from './parameters.ts'
import type { Call, Send } from './send.ts'

/** Each is `not_found` unless the service follows a development chain and the key is `sk_test_…`. */
export type TestHelpers = {
  /**
   * Pays what the checkout asks for, by reference or as by hand.
   *
   * @returns once the transaction is sent; it is in the next block
   * @example
   * ```ts
   * import { createClient, toUnits } from '@payment-intents/node'
   *
   * export async function payAnOrder(): Promise<string> {
   *   const client = createClient()
   *   const { id } = await client.createPaymentIntent({ amount_units: toUnits('25.00') })
   *   await client.testHelpers.pay(id)
   *   await client.testHelpers.mine({ blocks: 5 })
   *   return id
   * }
   * ```
   */
  pay(id: string, params?: TestPayment, options?: ReadOptions): Promise<TestPaymentAnswer>

  /** Pays less than the price: half of it by default. */
  underpay(id: string, params?: TestUnderpayment, options?: ReadOptions): Promise<TestPaymentAnswer>

  /** Moves the clocks past the deadline, then pays. */
  payLate(id: string, params?: TestPayment, options?: ReadOptions): Promise<TestPaymentAnswer>

  /** Makes blocks now, on Base's development chain by default, and returns the newest. */
  mine(params: { blocks: number; chain?: Chain }, options?: ReadOptions): Promise<TestChainAnswer>

  /** Moves the clocks of all development chains, and with them that of the service. */
  advanceTime(params: { seconds: number }, options?: ReadOptions): Promise<TestChainAnswer>

  /** Replaces the last blocks by empty ones: every payment in them is gone. */
  reorg(params: { depth: number; chain?: Chain }, options?: ReadOptions): Promise<TestChainAnswer>
}

export function testHelpers(send: Send): TestHelpers {
  function ask(
    { path, body, answer }: { path: () => string; body: Schema; answer: Schema },
    params: object = {},
    options?: ReadOptions,
  ) {
    const prepare = (): Call => ({
      method: 'POST',
      path: `/v1/test_helpers/${path()}`,
      body: bodyOf(body, params),
      // Sent twice, it would pay twice.
      repeat: 'unsafe',
      issuesOf: (value) => issuesOf(answer, value),
    })
    return send(prepare, options)
  }
  const pays =
    (action: string, body: Schema) =>
    async (id: string, params?: object, options?: ReadOptions): Promise<TestPaymentAnswer> => {
      const path = () => `payment_intents/${pathId(id)}/${action}`
      const helper = { path, body, answer: testPaymentAnswerSchema }
      return (await ask(helper, params, options)) as TestPaymentAnswer
    }
  const changes =
    (action: string, body: Schema) =>
    async (params: object, options?: ReadOptions): Promise<TestChainAnswer> => {
      const path = () => `chain/${action}`
      const helper = { path, body, answer: testChainAnswerSchema }
      return (await ask(helper, params, options)) as TestChainAnswer
    }
  return {
    pay: pays('pay', testPaymentSchema),
    underpay: pays('underpay', testUnderpaymentSchema),
    payLate: pays('pay_late', testPaymentSchema),
    mine: changes('mine', testMineSchema),
    advanceTime: changes('advance_time', testAdvanceTimeSchema),
    reorg: changes('reorg', testReorgSchema),
  }
}
