import { randomBytes } from 'node:crypto'
import { withoutSecrets } from '@payment-intents/core'
import { expect, test } from 'vitest'
import { newApiKey } from './apiKey.ts'
import { newToken } from './token.ts'

test('secrets anywhere in a URL are cut out, and nothing else is', () => {
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

test('a key is cut out without its prefix, too', () => {
  for (const mode of ['testnet', 'mainnet'] as const) {
    const [, , random = ''] = newApiKey(mode).split('_')
    for (const quoted of [
      random,
      `live_${random}`,
      `key=${random}`,
      `"${random}"`,
      random.slice(1),
    ]) {
      const shown = withoutSecrets(`GET /v1/events/${quoted} 404`)
      expect(shown).toBe(`GET /v1/events/${quoted.replace(/[\dA-Za-z]{32,}/, '…')} 404`)
    }
  }
})

test('ids, addresses, hashes and signatures stay', () => {
  const hash = randomBytes(32).toString('hex')
  for (const current of [
    'pi_01k0w3v6gq8n5t2r9y4m7b1c6d0e3f',
    '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
    `0x${hash}`,
    hash.toUpperCase(),
    `0x${hash}${hash}1b`,
    '/v1/webhook_endpoints/we_1/rotate_secret',
    'expectedWalletAddressOfThePaymentIntent',
  ]) {
    expect(withoutSecrets(`/v1/${current}?a=${current}`)).toBe(`/v1/${current}?a=${current}`)
  }
  expect(withoutSecrets(`/checkout/h/${newToken()}`)).toBe('/checkout/h/…')
})
