import { inspect } from 'node:util'
import type { Refund } from '@payment-intents/contract'
import { describe, expect, test, vi } from 'vitest'
import { apiKey, json, serve } from '../../test/stubServer.ts'
import { createClient } from '../createClient.ts'
import type { RefundSigner } from './refundSigner.ts'

const buyer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const from = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'
const reference = `0x${'ab'.repeat(32)}` as const
const later = () => String(Math.floor(Date.now() / 1000) + 900)

function refundOf(mode: 'testnet' | 'mainnet' = 'testnet'): Refund {
  const isTest = mode === 'testnet'
  const token = isTest
    ? '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
    : '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
  const chainId = isTest ? 84532 : 8453
  return {
    ...{ id: 're_01', payment_intent: 'pi_01', transfer: null, status: 'requires_signature', mode },
    ...{ chain: 'base', chain_id: chainId, confirmations_required: 5, amount_units: 20_000 },
    ...{ decimals: 6, token_symbol: 'USDC', token_address: token, destination: buyer },
    ...{ destination_proof: 'merchant', refund_reference: reference, reason: null, from: null },
    ...{ from_verified: null, tx_hash: null, confirmations: 0, metadata: {} },
    succeeded_at: null,
    ...{ created_at: '2030-01-01T00:00:00.000Z', signable_until: '2030-01-01T00:15:00.000Z' },
    links: { page: 'https://pay.example/refund/#re_01_link_0' },
    typed_data: {
      domain: {
        ...{ name: isTest ? 'USDC' : 'USD Coin', version: '2', chainId },
        verifyingContract: token,
      },
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'TransferWithAuthorization',
      message: {
        ...{ to: buyer, value: '20000', validAfter: '0', validBefore: later(), nonce: reference },
      },
    },
  }
}

const params = { payment_intent: 'pi_01', amount_units: 20_000, destination: buyer } as const
const signature = `0x${'12'.repeat(65)}` as const

function signerWith(sign: RefundSigner['signTypedData'] = async () => signature) {
  const signTypedData = vi.fn(sign)
  return { signer: { address: from, signTypedData } as RefundSigner, signTypedData }
}

const late = json(400, {
  ...{ error: 'invalid_body', message: 'late', request_id: 'r' },
  issues: [{ path: 'authorization.validBefore', message: 'must be later' }],
})

type Change = (refund: Refund) => unknown
const message =
  (change: object): Change =>
  ({ typed_data: requested }) =>
    Object.assign(requested?.message ?? {}, change)
const domain =
  (change: object): Change =>
  ({ typed_data: requested }) =>
    Object.assign(requested?.domain ?? {}, change)

describe('the refund that the service requests to sign', () => {
  test('is signed with the wallet’s own address, and submitted', async () => {
    const refund = refundOf()
    const pending = { ...refund, status: 'pending', typed_data: null, signable_until: null, from }
    const { url, requests } = await serve(json(200, refund), json(200, pending))
    const { signer, signTypedData } = signerWith()
    const client = createClient({ apiKey, baseUrl: url })
    expect(await client.refunds.create(params, { signer })).toMatchObject({ status: 'pending' })
    const validBefore = refund.typed_data?.message.validBefore as string
    expect(signTypedData.mock.calls).toEqual([
      [
        {
          ...refund.typed_data,
          message: {
            ...{ from, to: buyer, value: 20_000n, validAfter: 0n, nonce: reference },
            validBefore: BigInt(validBefore),
          },
        },
      ],
    ])
    expect(requests.map(({ target }) => target)).toEqual([
      'POST /v1/refunds',
      'POST /v1/refunds/re_01/authorize',
    ])
    expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
      authorization: {
        ...{ from, to: buyer, value: '20000', validAfter: '0', validBefore, nonce: reference },
      },
      signature,
    })
  })

  test.each<[string, Change, ('testnet' | 'mainnet')?]>([
    ['mode', (refund) => Object.assign(refund, refundOf('mainnet'))],
    ['payment_intent', (refund) => Object.assign(refund, { payment_intent: 'pi_02' })],
    ['transfer', (refund) => Object.assign(refund, { transfer: 'tr_02' })],
    ['amount_units', (refund) => Object.assign(refund, { amount_units: 20_001 })],
    ['typed_data.domain.name', domain({ name: 'USD Coin' })],
    ['typed_data.domain.version', domain({ version: '1' })],
    ['typed_data.domain.chainId', domain({ chainId: 8453 })],
    ['typed_data.domain.verifyingContract', domain({ verifyingContract: buyer })],
    [
      'typed_data.types',
      ({ typed_data: requested }) => requested?.types.TransferWithAuthorization.reverse(),
    ],
    [
      'typed_data.types',
      ({ typed_data: requested }) => requested?.types.TransferWithAuthorization.pop(),
    ],
    // Refused with the whole response.
    [
      'primaryType',
      ({ typed_data: requested }) => Object.assign(requested ?? {}, { primaryType: 'Permit' }),
    ],
    // A payment on Base that the service presents as on Polygon.
    ['typed_data.domain.chainId', (refund) => Object.assign(refund, { chain: 'polygon' })],
    ['typed_data.message.to', message({ to: from })],
    ['typed_data.message.value', message({ value: '20001' })],
    ['typed_data.message.validAfter', message({ validAfter: '1' })],
    ['typed_data.message.validBefore', message({ validBefore: '4102444800' }), 'mainnet'],
    ['typed_data.message.nonce', message({ nonce: `0x${'cd'.repeat(32)}` })],
  ])('is refused with another %s', async (name, change, mode) => {
    const refund = refundOf(mode)
    change(refund)
    const { url, requests } = await serve(json(200, refund))
    const { signer, signTypedData } = signerWith()
    const key = mode === 'mainnet' ? apiKey.replace('test', 'live') : apiKey
    const client = createClient({ apiKey: key, baseUrl: url })
    await expect(client.refunds.create(params, { signer })).rejects.toMatchObject({
      ...{ code: 'invalid_response', message: expect.stringContaining(name) },
    })
    expect(signTypedData).not.toHaveBeenCalled()
    expect(requests).toHaveLength(1)
  })

  test('is refused with another destination, which may have been named meanwhile', async () => {
    const { url } = await serve(json(200, { ...refundOf(), destination: from }))
    const { signer, signTypedData } = signerWith()
    const { refunds } = createClient({ apiKey, baseUrl: url })
    await expect(refunds.create(params, { signer })).rejects.toMatchObject({
      ...{ code: 'conflict', reason: 'illegal_state', message: expect.stringContaining(from) },
    })
    expect(signTypedData).not.toHaveBeenCalled()
  })

  test.each<[string, Change]>([
    ['id', (refund) => Object.assign(refund, { id: 're_02' })],
    [
      'refund_reference',
      (refund) => {
        const other = `0x${'cd'.repeat(32)}`
        Object.assign(refund, { refund_reference: other })
        message({ nonce: other })(refund)
      },
    ],
    ['amount_units', (refund) => Object.assign(refund, { amount_units: 20_001 })],
    ['chain', (refund) => Object.assign(refund, { chain: 'polygon' })],
  ])('is refused when another %s is to be signed after a late signature', async (name, change) => {
    const other = refundOf()
    change(other)
    const { url } = await serve(json(200, refundOf()), late, json(200, other))
    const { signer, signTypedData } = signerWith()
    const { refunds } = createClient({ apiKey, baseUrl: url })
    await expect(refunds.create(params, { signer })).rejects.toMatchObject({
      ...{ code: 'invalid_response', message: expect.stringContaining(name) },
    })
    expect(signTypedData).toHaveBeenCalledOnce()
  })

  test('has the terms that the caller passed, even if the objects change meanwhile', async () => {
    const refund = refundOf()
    const { url, requests } = await serve(json(200, refund), json(200, refund))
    const changing = { ...params, amount_units: 20_000 as number }
    const { signer } = signerWith(async (typedData) => {
      Object.assign(typedData.message, { value: 1n })
      Object.assign(typedData.types, { TransferWithAuthorization: [] })
      return signature
    })
    const { refunds } = createClient({ apiKey, baseUrl: url })
    const creation = refunds.create(changing, { signer })
    changing.amount_units = 20_001
    await creation
    await refunds.create(params, { signer })
    expect(JSON.parse(requests[1]?.body ?? '').authorization.value).toBe('20000')
  })

  test('has the caller’s amount, never an amount that the service chooses', async () => {
    const { url, requests } = await serve(json(200, refundOf()))
    const { amount_units: _, ...others } = params
    const { refunds } = createClient({ apiKey, baseUrl: url })
    await expect(refunds.create(others, { signer: signerWith().signer })).rejects.toMatchObject({
      ...{ code: 'invalid_body', issues: [{ path: 'amount_units' }] },
    })
    expect(requests).toEqual([])
    expect(await refunds.create(others)).toMatchObject({ amount_units: 20_000 })
  })

  test('is signed again if the signature has expired, three times at most', async () => {
    const refund = json(200, refundOf())
    const { url } = await serve(refund, late, refund, late, refund, late)
    const { signer, signTypedData } = signerWith()
    const client = createClient({ apiKey, baseUrl: url })
    await expect(client.refunds.create(params, { signer })).rejects.toMatchObject({
      code: 'invalid_body',
    })
    expect(signTypedData).toHaveBeenCalledTimes(3)
  })
})

describe('a signer', () => {
  const privateKey = `0x${'5e'.repeat(32)}`
  // Four digits alone also occur in a random idempotency key.
  const keyShown = /0x5e5e|(5e){4}/
  const failure = Object.assign(new Error(`key ${privateKey} is locked`), {
    ...{ name: privateKey, privateKey, cause: new Error(privateKey) },
  })
  test.each<[string, RefundSigner['signTypedData']]>([
    ['rejects', () => Promise.reject(failure)],
    [
      'throws',
      () => {
        throw failure
      },
    ],
    ['rejects with a text', () => Promise.reject(privateKey)],
    ['gives no signature', async () => '0x'],
    ['gives its key', async () => privateKey as `0x${string}`],
    ['gives another object', async () => [signature] as never],
    [
      'gives what cannot be read',
      async () => ({ toString: () => expect.fail(privateKey) }) as never,
    ],
  ])('that %s is named, without its words', async (_name, sign) => {
    const { url } = await serve(json(200, refundOf()))
    const { refunds } = createClient({ apiKey, baseUrl: url })
    const error = await refunds
      .create(params, { signer: signerWith(sign).signer })
      .catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'signer_failed', retryable: true })
    expect(error.cause).toBeUndefined()
    expect(error.message).toContain('re_01')
    const shown = [
      ...[inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error)],
      ...[String(error), String(error.stack), String(error.cause)],
    ]
    expect(shown.join()).not.toMatch(keyShown)
  })

  const unreadable = {
    get address(): string {
      throw failure
    },
  }
  test.each([null, {}, { address: 'x', signTypedData() {} }, { address: from }, 'key', unreadable])(
    'of another shape is refused before anything is sent: %#',
    async (signer) => {
      const { url, requests } = await serve(json(200, refundOf()))
      const { refunds } = createClient({ apiKey, baseUrl: url })
      const error = await refunds
        .create(params, { signer: signer as never })
        .catch((thrown) => thrown)
      expect(error).toMatchObject({ code: 'invalid_body', issues: [{ path: 'signer' }] })
      expect(inspect(error)).not.toMatch(keyShown)
      expect(requests).toEqual([])
    },
  )

  test('that is undefined counts as missing: the refund waits for its signature', async () => {
    const { url, requests } = await serve(json(200, refundOf()))
    const { refunds } = createClient({ apiKey, baseUrl: url })
    const refund = await refunds.create(params, { signer: undefined, idempotencyKey: 'a' })
    expect(refund.status).toBe('requires_signature')
    expect(requests).toMatchObject([{ headers: { 'idempotency-key': 'a' } }])
  })

  test('is passed with the options of a call, including inherited options', async () => {
    class Options {
      signer = signerWith().signer
      get idempotencyKey() {
        return 'refund of return 1042'
      }
    }
    const { url, requests } = await serve(json(200, refundOf()))
    const { refunds } = createClient({ apiKey, baseUrl: url })
    await refunds.create(params, new Options())
    expect(requests[0]?.headers['idempotency-key']).toBe('refund of return 1042')
    for (const invalidSigner of [
      { idempotency_key: 'a' },
      { idempotencyKey: undefined },
      { headers: { 'Idempotency-Key': 'a' } },
    ]) {
      await expect(
        refunds.create(params, { signer: signerWith().signer, ...invalidSigner } as never),
      ).rejects.toThrow('Nothing was sent.')
    }
    expect(requests).toHaveLength(2)
  })
})

describe('an existing refund', () => {
  test('is signed as the caller passes it, and submitted', async () => {
    const pending = { ...refundOf(), status: 'pending', typed_data: null, from }
    const { url, requests } = await serve(json(200, refundOf()), json(200, pending))
    const { signer, signTypedData } = signerWith()
    const { refunds } = createClient({ apiKey, baseUrl: url })
    const presigned = { id: 're_01', amount_units: 20_000, destination: buyer } as const
    expect(await refunds.sign(presigned, { signer })).toMatchObject({ status: 'pending' })
    expect(signTypedData.mock.calls[0]?.[0].message).toMatchObject({ to: buyer, value: 20_000n })
    expect(requests.map(({ target }) => target)).toEqual([
      'GET /v1/refunds/re_01',
      'POST /v1/refunds/re_01/authorize',
    ])
  })

  test.each<[string, Change]>([
    ['id', (refund) => Object.assign(refund, { id: 're_02' })],
    ['payment_intent', (refund) => Object.assign(refund, { payment_intent: 'pi_02' })],
    ['transfer', (refund) => Object.assign(refund, { transfer: 'tr_02' })],
    ['mode', (refund) => Object.assign(refund, refundOf('mainnet'))],
    ['chain', (refund) => Object.assign(refund, { chain: 'polygon' })],
    ['amount_units', (refund) => Object.assign(refund, { amount_units: 20_001 })],
    ['typed_data.message.value', message({ value: '20001' })],
    ['typed_data.message.to', message({ to: from })],
    [
      'refund_reference',
      (refund) => Object.assign(refund, { refund_reference: `0x${'cd'.repeat(32)}` }),
    ],
  ])('is not signed with another %s than the caller passes', async (name, change) => {
    const changed = refundOf()
    change(changed)
    const { url } = await serve(json(200, changed))
    const { signer, signTypedData } = signerWith()
    const { refunds } = createClient({ apiKey, baseUrl: url })
    await expect(refunds.sign(refundOf(), { signer })).rejects.toMatchObject({
      ...{ code: 'invalid_response', message: expect.stringContaining(name) },
    })
    expect(signTypedData).not.toHaveBeenCalled()
  })

  test.each<[string, unknown, unknown]>([
    ['signer', refundOf(), {}],
    ['signer', refundOf(), undefined],
    ['signer', refundOf(), { signer: null }],
    ['destination', { ...refundOf(), destination: null }, undefined],
    ['amount_units', { id: 're_01', destination: buyer }, undefined],
    ['amount_units', { ...refundOf(), amount_units: '20000' }, undefined],
    ['id', { ...refundOf(), id: '../re_01' }, undefined],
    ['destination', null, undefined],
    ['idempotencyKey', refundOf(), { idempotencyKey: 'a' }],
  ])('is not retrieved with a wrong %s', async (path, refund, options) => {
    const { url, requests } = await serve(json(200, refundOf()))
    const { signer } = signerWith()
    const { refunds } = createClient({ apiKey, baseUrl: url })
    const argument = path === 'signer' ? options : { signer, ...Object(options) }
    await expect(refunds.sign(refund as never, argument as never)).rejects.toMatchObject({
      ...{ code: 'invalid_body', issues: [{ path }] },
    })
    expect(requests).toEqual([])
  })
})
