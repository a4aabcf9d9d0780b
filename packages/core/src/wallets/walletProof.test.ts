import { windows } from '@payment-intents/contract'
import { hashMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  checkWalletSignature,
  readWalletProof,
  type WalletProofTerms,
  walletProofMessage,
} from './walletProof.ts'

const terms: WalletProofTerms = {
  url: 'https://desk.example',
  merchantId: 'mer_shop',
  address: '0xfcad0b19bb29d4674531d6f115237e16afce377c',
}
const issuedAt = Date.UTC(2027, 0, 2, 3, 4, 5, 678)
const challenge = { chainId: 8453, nonce: 'ab'.repeat(16), issuedAt }
const message = walletProofMessage(terms, challenge)
const refused = (reason: string) => ({ type: 'refused', reason })

test('the message names the service, the merchant, the wallet and its expiry (EIP-4361)', () => {
  expect(message).toBe(`desk.example wants you to sign in with your Ethereum account:
0xFCAd0B19bB29D4674531d6f115237E16AfCE377c

Prove that this wallet belongs to mer_shop, which is paid here.

URI: https://desk.example/
Version: 1
Chain ID: 8453
Nonce: ${'ab'.repeat(16)}
Issued At: 2027-01-02T03:04:05.678Z
Expiration Time: 2027-01-02T03:14:05.678Z
Request ID: mer_shop`)
  expect(readWalletProof(message, terms, issuedAt)).toEqual({ type: 'read', ...challenge })
})

test.each([
  ['wrong_domain', { ...terms, url: 'https://desk.example:8443' }],
  ['wrong_merchant', { ...terms, merchantId: 'mer_other' }],
  ['wrong_address', { ...terms, address: `0x${'12'.repeat(20)}` as const }],
])('refuses another merchant’s or service’s message: %s', (reason, other) => {
  expect(readWalletProof(message, other, issuedAt)).toEqual(refused(reason))
})

test('a message is valid for ten minutes', () => {
  const last = issuedAt + windows.walletProof * 1_000 - 1
  expect(readWalletProof(message, terms, last)).toMatchObject({ type: 'read' })
  expect(readWalletProof(message, terms, last + 1)).toEqual(refused('expired'))
  expect(readWalletProof(message, terms, issuedAt - 1)).toEqual(refused('expired'))
})

test.each([
  ['a word changed', message.replace('is paid', 'gets paid')],
  ['a later end', message.replace('03:14:05', '04:14:05')],
  ['a line more', `${message}\nResources:\n- https://desk.example`],
  ['no day', message.replace('2027-01-02T03:04', '2027-13-02T03:04')],
  ['nothing', ''],
])('refuses a message that is not the service’s: %s', (_, altered) => {
  expect(readWalletProof(altered, terms, issuedAt)).toEqual(refused('malformed'))
})

describe('the signature', () => {
  const owner = privateKeyToAccount(generatePrivateKey())
  const address = owner.address.toLowerCase() as `0x${string}`
  const { chainId } = challenge
  const noContract = async () => false

  test('of the private key is valid on every chain, without a call to any', async () => {
    const signature = await owner.signMessage({ message })
    const failCall = () => expect.fail('asked')
    const signed = { address, chainId, message, signature }
    expect(await checkWalletSignature(failCall, signed)).toEqual({ type: 'signed', chainId: null })
  })

  test('of another key, or of another message, is refused', async () => {
    const other = privateKeyToAccount(generatePrivateKey())
    for (const signature of [
      await other.signMessage({ message }),
      await owner.signMessage({ message: `${message} ` }),
    ]) {
      const signed = { address, chainId, message, signature }
      expect(await checkWalletSignature(noContract, signed)).toEqual(refused('signature_invalid'))
    }
  })

  test('of a contract is valid where its code says so', async () => {
    const signed = { address, chainId, message, signature: `0x${'12'.repeat(100)}` as const }
    const calls: object[] = []
    const contractCall = (isValid: boolean | null) => async (question: object) => {
      calls.push(question)
      return isValid
    }
    expect(await checkWalletSignature(contractCall(true), signed)).toEqual({
      type: 'signed',
      chainId,
    })
    expect(await checkWalletSignature(contractCall(false), signed)).toEqual(
      refused('signature_invalid'),
    )
    expect(await checkWalletSignature(contractCall(null), signed)).toEqual({ type: 'unavailable' })
    const hash = hashMessage(message)
    const question = { chainId, account: address, hash, signature: signed.signature }
    expect(calls).toEqual(Array(3).fill(question))
  })
})
