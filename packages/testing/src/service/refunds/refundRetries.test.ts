import {
  createClient,
  isPaymentIntentsError,
  type RefundSigner,
  toUnits,
} from '@payment-intents/node'
import { setupServer } from 'msw/node'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestService } from '../createTestService.ts'
import type { Failure } from '../failures.ts'

const wallet = privateKeyToAccount(`0x${'59'.repeat(32)}`)
const buyer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const service = createTestService({ gasless: true, refundWallets: [wallet.address] })
const server = setupServer(...service.handlers)
const { refunds, paymentIntents } = createClient({
  ...{ apiKey: service.apiKey, baseUrl: service.baseUrl, maxRetries: 0 },
})

beforeAll(() => server.listen())
afterAll(() => server.close())
beforeEach(() => service.reset())

type Sign = RefundSigner['signTypedData']

/** A signer whose first calls run these functions. */
function signerAfter(...first: ((sign: Sign) => Sign)[]): RefundSigner {
  const sign: Sign = (typedData) => wallet.signTypedData(typedData)
  return {
    address: wallet.address,
    signTypedData: (typedData) => (first.shift()?.(sign) ?? sign)(typedData),
  }
}

/** The signature has expired when it reaches the service. */
const late = (sign: Sign): Sign => {
  return async (typedData) => {
    const signature = await sign(typedData)
    service.clock.advance(20)
    return signature
  }
}
const throwing = () => () => {
  throw new Error('locked')
}
const rejecting = (): Sign => () => Promise.reject(new Error('locked'))
const silent = (): Sign => async () => '0x'

async function refundParams() {
  const { id } = await paymentIntents.create({ amount_units: toUnits('25.00') })
  service.pay(id)
  return { payment_intent: id, amount_units: toUnits('10.00'), destination: buyer } as const
}

const onAuthorize = (failure: Failure) => ({ ...failure, on: 'authorizeRefund' }) as Failure
const onRetrieve = (failure: Failure) => ({ ...failure, on: 'retrieveRefund' }) as Failure

describe('a failed refund is repeated with the error’s idempotency key and stays a single refund', () => {
  test.each<[step: string, code: string, signer: () => RefundSigner, failure?: Failure]>([
    [
      'the creation’s response is lost',
      'network_error',
      () => signerAfter(),
      { with: 'response_lost', on: 'createRefund' },
    ],
    ['the signer throws', 'signer_failed', () => signerAfter(throwing)],
    ['the signer rejects', 'signer_failed', () => signerAfter(rejecting)],
    ['the signer gives no signature', 'signer_failed', () => signerAfter(silent)],
    ['the signature is late three times', 'invalid_body', () => signerAfter(late, late, late)],
    [
      'retrieving it again is unreachable',
      'network_error',
      () => signerAfter(late),
      onRetrieve({ with: 'unreachable' }),
    ],
    [
      'retrieving it again is a 500',
      'internal_error',
      () => signerAfter(late),
      onRetrieve({ with: 'internal_error' }),
    ],
    [
      'retrieving it again is no JSON',
      'invalid_response',
      () => signerAfter(late),
      onRetrieve({ with: 'garbage' }),
    ],
    [
      'submitting is unreachable',
      'network_error',
      () => signerAfter(),
      onAuthorize({ with: 'unreachable' }),
    ],
    [
      'submitting is a 500',
      'internal_error',
      () => signerAfter(),
      onAuthorize({ with: 'internal_error' }),
    ],
    [
      'submitting is a proxy’s 502',
      'unexpected_status',
      () => signerAfter(),
      onAuthorize({ with: 'bad_gateway' }),
    ],
    [
      'submitting is no JSON',
      'invalid_response',
      () => signerAfter(),
      onAuthorize({ with: 'garbage' }),
    ],
    [
      'the response to submitting is lost',
      'network_error',
      () => signerAfter(),
      onAuthorize({ with: 'response_lost' }),
    ],
    [
      'the wallet is empty',
      'conflict',
      () => signerAfter(),
      onAuthorize({ with: 'conflict', reason: 'insufficient_token' }),
    ],
  ])('%s: %s', async (_step, code, signerOf, failure) => {
    const params = await refundParams()
    const signer = signerOf()
    if (failure) service.fail(failure)
    const error: unknown = await refunds.create(params, { signer }).catch((thrown) => thrown)
    if (!isPaymentIntentsError(error)) return expect.fail('nothing failed')
    const { idempotencyKey } = error
    expect(error).toMatchObject({ code, idempotencyKey: expect.stringMatching(/^[\da-f-]{36}$/) })
    expect(error.message).toContain(`idempotencyKey '${idempotencyKey}'`)

    if (idempotencyKey === undefined) return expect.fail('no key')
    const refund = await refunds.create(params, { signer, idempotencyKey })
    expect(refund.status).toBe('pending')
    expect((await refunds.list()).data).toHaveLength(1)
    expect(service.confirmRefund(refund.id).status).toBe('succeeded')
    const types = service.events.map(({ type }) => type).filter((type) => type.startsWith('refund'))
    expect(types).toEqual(['refund.created', 'refund.pending', 'refund.succeeded'])
    expect(await paymentIntents.retrieve(params.payment_intent)).toMatchObject({
      ...{ amount_refunded_units: params.amount_units, amount_refunding_units: 0 },
    })
  })

  test('the error has the caller’s idempotency key, if any', async () => {
    const options = { signer: signerAfter(rejecting), idempotencyKey: 'refund of return 1042' }
    const error = await refunds.create(await refundParams(), options).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'signer_failed', idempotencyKey: options.idempotencyKey })
    expect(error.message).toContain("idempotencyKey 'refund of return 1042'")
  })
})
