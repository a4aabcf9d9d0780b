import { expect, test } from 'vitest'
import * as exported from './index.ts'

test('exports', () => {
  expect(Object.keys(exported).sort()).toMatchInlineSnapshot(`
    [
      "PaymentIntentsError",
      "WebhookVerificationError",
      "createClient",
      "isPaymentIntentEvent",
      "isPaymentIntentsError",
      "isWebhookVerificationError",
      "toUnits",
      "verifyWebhook",
    ]
  `)
})
