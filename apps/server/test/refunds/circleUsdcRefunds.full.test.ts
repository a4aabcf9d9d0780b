import { chainFacts, type Mode } from '@payment-intents/contract'
import type { DevAccount } from '@payment-intents/testing'
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { type SingleRelayer, singleRelayer } from '../relayer/support/singleRelayer.ts'
import { compileCircleUsdc, placeCircleUsdc } from '../support/chain/circleUsdc.ts'
import { sendMined } from '../support/chain/sendMined.ts'
import { sign } from '../support/chain/signAuthorization.ts'
import { refundingOfTest } from '../support/server/refunding.ts'
import { type Json, randomWallet } from '../support/server/testServer.ts'

const refunding = refundingOfTest({
  async prepare(started) {
    const holders = started.accounts.map(({ address }) => address)
    const token = { token: started.token, name: 'USDC', holders }
    await placeCircleUsdc(started, await compileCircleUsdc(), token)
  },
})
const { reader, chain, paid, refund, read, signedBy, authorize, submit, send, callToken } =
  refunding

let relayer: SingleRelayer

beforeEach(() => {
  relayer = singleRelayer(reader)
})

const abi = parseAbi([
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function balanceOf(address account) view returns (uint256)',
])

async function balanceOf(address: Address): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [address] })
  return BigInt(await chain.rpc<Hex>('eth_call', [{ to: chain.token, data }, 'latest']))
}

/** Runs a relayer cycle, and mines until its transaction is deep. */
async function relay(): Promise<void> {
  await relayer.cycle()
  await chain.mine()
  await reader.settle()
}

/** Creates a refund to a wallet. */
async function refundTo(destination: Address): Promise<Json> {
  return refund(await paid(), { destination })
}

describe('Circle’s own token', () => {
  test('accepts the signature of a refund from the relayer, for less gas than its limit', async () => {
    const destination = randomWallet()
    const created = await refundTo(destination)
    const before = await balanceOf(refunding.shop.address)
    await authorize(created, await signedBy(created))
    await relay()
    const [txHash] = await relayer.sent(created)
    expect(await read(created)).toMatchObject({ status: 'succeeded', tx_hash: txHash })
    expect(await balanceOf(destination)).toBe(BigInt(created.amount_units))
    expect(before - (await balanceOf(refunding.shop.address))).toBe(BigInt(created.amount_units))
    const { gasUsed } = await chain.rpc<{ gasUsed: Hex }>('eth_getTransactionReceipt', [txHash])
    const { gas } = await chain.rpc<{ gas: Hex }>('eth_getTransactionByHash', [txHash as Hex])
    expect(Number(gasUsed)).toBeLessThan(Number(gas))
  })

  test('accepts it once, even if others send it again', async () => {
    const destination = randomWallet()
    const created = await refundTo(destination)
    const signed = await signedBy(created)
    await authorize(created, signed)
    await relay()
    const replayed = await submit(signed)
    expect(await chain.rpc('eth_getTransactionReceipt', [replayed])).toMatchObject({
      status: '0x0',
    })
    await reader.settle()
    expect(await balanceOf(destination)).toBe(BigInt(created.amount_units))
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
  })

  test('blocks a destination, so that its refund is not signed, and another destination is named', async () => {
    const blocked = randomWallet()
    const created = await refundTo(blocked)
    await callToken({ functionName: 'blacklist', args: [blocked] })
    expect(await authorize(created, await signedBy(created), 409)).toMatchObject({
      reason: 'address_blocked',
    })
    const path = `/v1/refunds/${created.id}`
    const patched = await refunding.api.send('PATCH', path, { destination: randomWallet() })
    const renamed = await patched.json()
    await authorize(renamed, await signedBy(renamed))
    await relay()
    expect(await read(created)).toMatchObject({ status: 'succeeded' })
    expect(await balanceOf(blocked)).toBe(0n)
  })

  test('blocks a destination after the signature, so that no gas is spent and the amount stays reserved', async () => {
    const blocked = randomWallet()
    const created = await refundTo(blocked)
    const signed = await signedBy(created)
    await authorize(created, signed)
    await callToken({ functionName: 'blacklist', args: [blocked] })
    await relay()
    expect(await relayer.sent(created)).toEqual([])
    expect(await read(created)).toMatchObject({ status: 'pending', tx_hash: null })
    expect(await send(`/v1/refunds/${created.id}/cancel`, {}, 409)).toMatchObject({
      reason: 'refund_in_flight',
    })
    const after = Number(signed.authorization.validBefore) + 1
    await chain.rpc('evm_setNextBlockTimestamp', [after])
    await reader.settle()
    await reader.settle()
    expect(await read(created)).toMatchObject({ status: 'requires_signature' })
    expect(await send(`/v1/refunds/${created.id}/cancel`, {})).toMatchObject({ status: 'canceled' })
  })

  test('is paused, so that no refund is signed, and a signed refund is broadcast after the pause', async () => {
    const [signedBefore, other] = [await refundTo(randomWallet()), await refundTo(randomWallet())]
    await authorize(signedBefore, await signedBy(signedBefore))
    await callToken({ functionName: 'pause' })
    expect(await authorize(other, await signedBy(other), 409)).toMatchObject({
      reason: 'token_paused',
    })
    await relay()
    expect(await relayer.sent(signedBefore)).toEqual([])
    await callToken({ functionName: 'unpause' })
    await relay()
    expect(await read(signedBefore)).toMatchObject({ status: 'succeeded' })
    expect(await read(other)).toMatchObject({ status: 'requires_signature' })
  })

  test('cancels a nonce for its account, which frees the refund, and no signature can pay it', async () => {
    const created = await refundTo(randomWallet())
    await authorize(created, await signedBy(created))
    await cancelNonce(refunding.shop, created.refund_reference)
    await relay()
    expect(await read(created), 'a node may hide a transfer').toMatchObject({ status: 'pending' })
    // Let the follower read the block again.
    await chain.mine(70)
    await reader.read()
    await relay()
    expect(await relayer.sent(created)).toEqual([])
    expect(await read(created)).toMatchObject({ status: 'requires_signature' })
    const secondSigned = await signedBy(await read(created))
    expect(await authorize(created, secondSigned, 409)).toMatchObject({
      reason: 'authorization_used',
    })
    expect(await send(`/v1/refunds/${created.id}/cancel`, {})).toMatchObject({ status: 'canceled' })
  })

  test.each<[string, Mode, 'base' | 'polygon']>([
    ['the other network’s', 'testnet', 'polygon'],
    ['the chain’s with real money', 'mainnet', 'base'],
  ])('refuses a signature of %s domain, as the server does', async (_, mode, name) => {
    const created = await refundTo(randomWallet())
    const { authorization, signature } = await signedBy(created)
    const { chainId, usdc: token } = chainFacts(mode, name)
    const foreign = await sign({ chainId, token }, refunding.shop, authorization)
    expect(await authorize(created, { authorization, signature: foreign }, 400)).toMatchObject({
      reason: 'signature_invalid',
    })
    const status = async (by: Hex) => {
      const hash = await submit({ authorization, signature: by })
      return (await chain.rpc<{ status: Hex }>('eth_getTransactionReceipt', [hash])).status
    }
    expect(await status(foreign)).toBe('0x0')
    expect(await status(signature)).toBe('0x1')
  })
})

async function cancelNonce({ privateKey, address }: DevAccount, nonce: Hex): Promise<void> {
  const signature = await privateKeyToAccount(privateKey).signTypedData({
    domain: { name: 'USDC', version: '2', chainId: chain.chainId, verifyingContract: chain.token },
    primaryType: 'CancelAuthorization',
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message: { authorizer: address, nonce },
  })
  const args = [address, nonce, signature] as const
  const data = encodeFunctionData({ abi, functionName: 'cancelAuthorization', args })
  const from = refunding.other.address
  const hash = await sendMined(chain, { from, to: chain.token, data, gas: '0x7a120' })
  expect(await chain.rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
}
