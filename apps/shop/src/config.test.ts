import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const complete = {
  PAYMENT_INTENTS_API_KEY: 'sk_test_1',
  PAYMENT_INTENTS_WEBHOOK_SECRET: 'whsec_1',
  PAYMENT_INTENTS_BASE_URL: 'http://localhost:4242/',
}

test('names every missing variable in a sentence', () => {
  expect(() => readConfig({})).toThrow(
    /PAYMENT_INTENTS_API_KEY, PAYMENT_INTENTS_WEBHOOK_SECRET, and PAYMENT_INTENTS_BASE_URL.*`pnpm start`/,
  )
  expect(() => readConfig({ ...complete, PAYMENT_INTENTS_API_KEY: '' })).toThrow(
    /needs PAYMENT_INTENTS_API_KEY:/,
  )
})

test('has defaults for the other variables, and no demo wallet without a development chain', () => {
  expect(readConfig(complete)).toEqual({
    port: 4243,
    dataDir: '.data/shop',
    apiKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    baseUrl: 'http://localhost:4242',
    chains: ['base'],
    rpcUrls: [],
    refundKey: null,
  })
})

test('sells on several chains, each with its development chain', () => {
  const two = {
    SHOP_CHAINS: 'polygon, base',
    RPC_URL: 'http://localhost:8545/',
    RPC_URL_POLYGON: 'http://localhost:8546',
  }
  expect(readConfig({ ...complete, ...two })).toMatchObject({
    chains: ['polygon', 'base'],
    rpcUrls: ['http://localhost:8545', 'http://localhost:8546'],
  })
})

test('refuses an invalid refund key without repeating it', () => {
  const REFUND_KEY = `0x${'ab'.repeat(32)}`
  expect(readConfig({ ...complete, REFUND_KEY })).toMatchObject({ refundKey: REFUND_KEY })
  const sentence = 'REFUND_KEY must be a private key: 0x and 64 hexadecimal digits.'
  expect(() => readConfig({ ...complete, REFUND_KEY: REFUND_KEY.slice(2) })).toThrow(
    new ConfigError(sentence),
  )
})

test.each([
  [{ PORT: 'http' }, /PORT must be a number from 0 to 65535, not "http"/],
  [{ PORT: '70000' }, /PORT/],
  [{ PAYMENT_INTENTS_BASE_URL: 'localhost:4242' }, /PAYMENT_INTENTS_BASE_URL must be a URL/],
  [{ RPC_URL: 'ws:' }, /RPC_URL must be a URL/],
  [{ RPC_URL_POLYGON: 'ws:' }, /RPC_URL_POLYGON must be a URL/],
  [{ SHOP_CHAINS: 'base,solana' }, /SHOP_CHAINS must be .* base, polygon, not "base,solana"/],
  [{ SHOP_CHAINS: 'toString' }, /SHOP_CHAINS/],
])('refuses %o', (invalid, sentence) => {
  expect(() => readConfig({ ...complete, ...invalid })).toThrow(sentence)
})
