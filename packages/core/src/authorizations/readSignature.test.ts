import { chains } from '@payment-intents/contract'
import { concat, encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { authorizationDigest, readSignature } from './readSignature.ts'

const account = privateKeyToAccount(`0x${'4c'.repeat(32)}`)
const from = account.address.toLowerCase() as Hex
const message = {
  ...{ from: account.address, to: `0x${'11'.repeat(20)}`, value: '24000000' },
  ...{ validAfter: '0', validBefore: '1767225600', nonce: `0x${'5a'.repeat(32)}` },
} as const
/** TRANSFER_WITH_AUTHORIZATION_TYPEHASH of EIP-3009. */
const typehash = '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267'

test.each(chains.map((facts) => [facts.name, facts] as const))(
  'the signed hash for %s is the token’s: the published typehash and domain separator',
  (_, { chainId, usdcDomainSeparator }) => {
    const types = 'bytes32 address address uint256 uint256 uint256 bytes32'.split(' ')
    const values = [
      ...[typehash, message.from, message.to, BigInt(message.value)],
      ...[0n, BigInt(message.validBefore), message.nonce],
    ]
    const struct = encodeAbiParameters(types.map((type) => ({ type })) as never, values as never)
    const expected = keccak256(concat(['0x1901', usdcDomainSeparator, keccak256(struct)]))
    expect(authorizationDigest(chainId, message)).toBe(expected)
  },
)

describe('a signature', async () => {
  const signature = await account.sign({ hash: authorizationDigest(8453, message) })
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)]
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const zeroBased = v === '1b' ? '00' : '01'
  const highBit = zeroBased === '01' ? 1n << 255n : 0n
  const compact = numberToHex(BigInt(`0x${s}`) | highBit, { size: 32 }).slice(2)
  const highS = numberToHex(order - BigInt(`0x${s}`), { size: 32 }).slice(2)

  test.each([
    ['as it is', signature],
    ['in capitals', `0x${signature.slice(2).toUpperCase()}`],
    ['with v of 0 or 1', `0x${r}${s}${zeroBased}`],
    ['of 64 bytes (EIP-2098)', `0x${r}${compact}`],
  ])('%s is valid for its account, in the token’s form', async (_, input) => {
    const read = await readSignature(8453, message, input as Hex)
    expect(read).toEqual({ type: 'account', signature, signer: from })
  })

  test.each([
    ['for another chain', 137, message],
    ['for another amount', 8453, { ...message, value: '24000001' }],
  ])('%s is valid for another account only', async (_, chainId, other) => {
    const read = await readSignature(chainId, other, signature)
    expect(read).toMatchObject({ type: 'account' })
    expect(read).not.toMatchObject({ signer: from })
  })

  test.each([
    ['with s in the upper half', `0x${r}${highS}${v === '1b' ? '1c' : '1b'}`],
    ['with another v', `0x${r}${s}1d`],
    ['of no point', `0x${'ff'.repeat(32)}${s}${v}`],
    ['of 66 bytes', `${signature}00`],
  ])('%s is left to the account’s code', async (_, input) => {
    expect((await readSignature(8453, message, input as Hex)).type).toBe('contract')
  })

  test('of an account that is not deployed (ERC-6492) is refused with a reason', async () => {
    const wrapped = `${signature}${'6492'.repeat(16)}` as Hex
    expect(await readSignature(8453, message, wrapped)).toMatchObject({
      type: 'invalid',
      message: expect.stringContaining('ERC-6492'),
    })
  })
})
