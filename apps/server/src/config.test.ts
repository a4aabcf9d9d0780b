import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const env = { RPC_URL_BASE_TESTNET: 'http://127.0.0.1:8545' }

test.each([
  [undefined, false],
  ['false', false],
  ['0', false],
  ['true', 1],
  ['1', 1],
  ['2', 2],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['10.0.0.1, fd00::/8', ['10.0.0.1', 'fd00::/8']],
])('TRUST_PROXY %s', (text, trusted) => {
  expect(readConfig({ ...env, TRUST_PROXY: text }).trustProxy).toEqual(trusted)
})

test.each(['yes', '-1', 'loopback', '10.0.0.0/99', ','])('TRUST_PROXY %s is refused', (text) => {
  expect(() => readConfig({ ...env, TRUST_PROXY: text })).toThrow(
    /^TRUST_PROXY: must be the number of proxies/,
  )
})

const mainnet = { ...env, RPC_URL_BASE_MAINNET: 'https://base.example' }

test('DEVELOPMENT_CHAIN is refused beside a mainnet', () => {
  expect(readConfig({ ...env, DEVELOPMENT_CHAIN: 'true' }).chains).toMatchObject([
    { development: true },
  ])
  expect(() => readConfig({ ...mainnet, DEVELOPMENT_CHAIN: 'true' })).toThrow(
    /^DEVELOPMENT_CHAIN: .* or unset RPC_URL_BASE_MAINNET$/,
  )
})

test('WEBHOOK_ALLOW_PRIVATE beside a mainnet is warned of', () => {
  expect(readConfig({ ...env, WEBHOOK_ALLOW_PRIVATE: 'true' }).warnings).toEqual([])
  expect(readConfig(mainnet).warnings).toEqual([])
  expect(readConfig({ ...mainnet, WEBHOOK_ALLOW_PRIVATE: 'true' }).warnings).toEqual([
    expect.stringMatching(/^WEBHOOK_ALLOW_PRIVATE lets .* beside RPC_URL_BASE_MAINNET$/),
  ])
})
