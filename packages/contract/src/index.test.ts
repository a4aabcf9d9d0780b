import { expect, test } from 'vitest'
import * as chains from './chains.ts'
import * as errors from './errors.ts'
import * as contract from './index.ts'

test('exports', () => {
  expect(Object.keys(contract).sort()).toMatchInlineSnapshot(`
    [
      "addressSchema",
      "assignTransferSchema",
      "chainFacts",
      "chainFactsOf",
      "chainSchema",
      "chains",
      "createPaymentIntentSchema",
      "errorBodySchema",
      "errorTable",
      "eventPageSchema",
      "eventSchema",
      "eventTypeSchema",
      "exceptionSchema",
      "hashSchema",
      "laneSchema",
      "limits",
      "listEventsSchema",
      "listPaymentIntentsSchema",
      "listTransfersSchema",
      "modeSchema",
      "openapi",
      "paymentIntentPageSchema",
      "paymentIntentSchema",
      "resolveRequestSchema",
      "resolvedPaymentIntentSchema",
      "retrievedPaymentIntentSchema",
      "sharedFields",
      "statusSchema",
      "testAdvanceTimeSchema",
      "testChainAnswerSchema",
      "testMineSchema",
      "testPaymentAnswerSchema",
      "testPaymentSchema",
      "testReorgSchema",
      "testUnderpaymentSchema",
      "transferPageSchema",
      "transferSchema",
      "unitsSchema",
      "usdcDecimals",
      "usdcDomainVersion",
    ]
  `)
  expect(Object.keys(chains).sort()).toMatchInlineSnapshot(`
    [
      "chainFacts",
      "chainFactsOf",
      "chains",
      "usdcDecimals",
      "usdcDomainVersion",
    ]
  `)
  expect(Object.keys(errors).sort()).toMatchInlineSnapshot(`
    [
      "errorTable",
    ]
  `)
})
