import { chains } from '@payment-intents/contract'
import { type Hex, hashTypedData, recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { gaslessIntent, intent } from '../../test/support/testIntents.ts'
import type { Intent } from '../service/parseIntent.ts'
import { gaslessOf, isSignature, typedData } from './authorization.ts'

type Offer = NonNullable<Intent['gasless']>

const now = Date.now()
const offered = gaslessIntent()
const offer = offered.gasless as Offer

test('the offer is derived, not copied from the service', () => {
  const more = { ...offer, message: { ...offer.message, from: '0x', memo: 'more' } }
  const { domain, message } = offer
  expect(gaslessOf({ ...offered, gasless: more }, now)).toEqual({ domain, message })
})

test('the domain is that of the USDC of each chain', () => {
  for (const { chainId, usdc, usdcDomainName: name } of chains) {
    const usdcIntent = gaslessIntent({ chain_id: chainId, token_address: usdc })
    const { domain, ...rest } = usdcIntent.gasless as Offer
    const gasless = { ...rest, domain: { ...domain, name } }
    expect(gaslessOf({ ...usdcIntent, gasless }, now)?.domain.name).toBe(name)
  }
})

const other = `0x${'99'.repeat(20)}` as const
test.each<[string, object]>([
  ['a fee', { fee_units: 1 }],
  ['another name', { domain: { ...offer.domain, name: 'USD Coin' } }],
  ['another version', { domain: { ...offer.domain, version: '1' } }],
  ['another chain', { domain: { ...offer.domain, chainId: 8453 } }],
  ['another contract', { domain: { ...offer.domain, verifyingContract: other } }],
  ['another recipient', { message: { ...offer.message, to: other } }],
  ['more than the price', { message: { ...offer.message, value: '25000001' } }],
  ['the payable amount', { message: { ...offer.message, value: '25000100' } }],
  ['a later start', { message: { ...offer.message, validAfter: '1' } }],
  ['a later deadline', { message: { ...offer.message, validBefore: '99999999999' } }],
  ['another nonce', { message: { ...offer.message, nonce: `0x${'00'.repeat(32)}` } }],
  ['no domain', { domain: undefined }],
  ['no message', { message: null }],
])('an offer with %s is not signed', (_, changes) => {
  const gasless = { ...offer, ...changes } as Offer
  expect(gaslessOf({ ...offered, gasless }, now)).toBeNull()
})

test('nothing is signed without an offer, or in the last minute', () => {
  expect(gaslessOf(intent(), now)).toBeNull()
  const deadline = Date.parse(offered.expires_at)
  expect(gaslessOf(offered, deadline - 61_000)).not.toBeNull()
  expect(gaslessOf(offered, deadline - 60_000)).toBeNull()
})

test('a wallet’s signature recovers to its account, with the digest of the standard', async () => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const { domain, message } = gaslessOf(offered, now) as Offer
  const authorization = { domain, message: { from: account.address, ...message } }
  const data = JSON.parse(typedData(authorization))
  const signature = await account.signTypedData(data)
  const { EIP712Domain: _, ...types } = data.types
  expect(hashTypedData(data)).toBe(hashTypedData({ ...data, types }))
  expect(await recoverTypedDataAddress({ ...data, signature })).toBe(account.address)
  expect(isSignature(signature)).toBe(true)
})

test.each([
  null,
  {},
  '',
  '0x',
  `0x${'11'.repeat(63)}`,
  `0x${'11'.repeat(64)}1`,
  `${'11'.repeat(65)}` as Hex,
])('%o is no signature', (response) => {
  expect(isSignature(response)).toBe(false)
})
