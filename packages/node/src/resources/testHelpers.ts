import {
  type TestAdvanceTime,
  type TestChainResponse,
  type TestMine,
  type TestPayment,
  type TestPaymentResponse,
  type TestReorg,
  type TestUnderpayment,
  testHelperEndpoints,
} from '@payment-intents/contract'
import type { ReadOptions } from '../options/clientOptions.ts'
import { method } from '../requests/method.ts'
import type { Send } from '../requests/send.ts'

/** Each is `not_found` unless the service follows a development chain and the key is `sk_test_…`. */
export type TestHelpers = {
  /**
   * Pays the amount that the checkout requests, with a reference or as by hand.
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
  pay(id: string, params?: TestPayment, options?: ReadOptions): Promise<TestPaymentResponse>

  /**
   * Pays less than the price, by `missing_units` of 0.000001 USDC; half of it by default.
   *
   * @returns once the transaction is sent; it is in the next block
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function payAllButOneUsdc(intentId: string): Promise<string> {
   *   const { testHelpers } = createClient()
   *   const { tx_hash } = await testHelpers.underpay(intentId, { missing_units: 1_000_000 })
   *   return tx_hash
   * }
   * ```
   */
  underpay(
    id: string,
    params?: TestUnderpayment,
    options?: ReadOptions,
  ): Promise<TestPaymentResponse>

  /**
   * Moves the clocks past the deadline, then pays.
   *
   * @returns once the transaction is sent; it is in the next block
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function payLate(intentId: string): Promise<void> {
   *   await createClient().testHelpers.payLate(intentId)
   * }
   * ```
   */
  payLate(id: string, params?: TestPayment, options?: ReadOptions): Promise<TestPaymentResponse>

  /**
   * Makes blocks now, 1 to 1,000, on Base's development chain by default, and returns the newest.
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function confirm(): Promise<number> {
   *   const { block_number } = await createClient().testHelpers.mine({ blocks: 5, chain: 'polygon' })
   *   return block_number
   * }
   * ```
   */
  mine(params: TestMine, options?: ReadOptions): Promise<TestChainResponse>

  /**
   * Moves the clocks of all development chains, and with them the service's clock, by at most 30 days.
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function skipAnHour(): Promise<void> {
   *   await createClient().testHelpers.advanceTime({ seconds: 3_600 })
   * }
   * ```
   */
  advanceTime(params: TestAdvanceTime, options?: ReadOptions): Promise<TestChainResponse>

  /**
   * Replaces the last 1 to 64 blocks by empty blocks, which removes every payment in them.
   *
   * @throws PaymentIntentsError `invalid_body` if the chain cannot go back that far
   * @example
   * ```ts
   * import { createClient } from '@payment-intents/node'
   *
   * export async function takeBack(): Promise<void> {
   *   await createClient().testHelpers.reorg({ depth: 3 })
   * }
   * ```
   */
  reorg(params: TestReorg, options?: ReadOptions): Promise<TestChainResponse>
}

export function testHelpers(send: Send): TestHelpers {
  return {
    pay: method(send, testHelperEndpoints.pay),
    underpay: method(send, testHelperEndpoints.underpay),
    payLate: method(send, testHelperEndpoints.payLate),
    mine: method(send, testHelperEndpoints.mine),
    advanceTime: method(send, testHelperEndpoints.advanceTime),
    reorg: method(send, testHelperEndpoints.reorg),
  }
}
