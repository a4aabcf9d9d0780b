import { expect, test } from 'vitest'
import { withoutSecrets } from './withoutSecrets.ts'

test('secrets are cut out wherever they are in a URL, and nothing else is', () => {
  expect(withoutSecrets('/v1/payment_intents/pi_1_secret_aB9/cancel?limit=2')).toBe(
    '/v1/payment_intents/pi_1_secret_…/cancel?limit=2',
  )
  expect(withoutSecrets('/v1/events?key=sk_live_aB9&secret=whsec_aB9%2F%3D&limit=2')).toBe(
    '/v1/events?key=sk_live_…&secret=whsec_…&limit=2',
  )
  expect(withoutSecrets('/x402/pi_1_x402_aB9?a=b')).toBe('/x402/pi_1_x402_…?a=b')
  expect(withoutSecrets('/v1/webhook_endpoints/we_1/rotate_secret')).toBe(
    '/v1/webhook_endpoints/we_1/rotate_secret',
  )
  expect(withoutSecrets('/checkout/h/a-B_9?locale=ar')).toBe('/checkout/h/…?locale=ar')
  expect(withoutSecrets('/checkout/pi_1')).toBe('/checkout/pi_1')
})
