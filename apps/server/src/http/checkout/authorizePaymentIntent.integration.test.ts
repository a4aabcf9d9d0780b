import { chainFactsOf } from '@payment-intents/contract'
import { concat, type Hex, keccak256, numberToHex, slice } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isFull } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import { inUnknownWords, startFaultProxy } from '../../../test/support/chain/faultProxy.ts'
import { sign } from '../../../test/support/chain/signAuthorization.ts'
import {
  authorizingOfTest,
  type Signed,
  simulateAt,
} from '../../../test/support/server/authorizing.ts'
import type { Json } from '../../../test/support/server/testServer.ts'

const authorizing = authorizingOfTest()
const { reader, chain, server, signed, submitAuthorization, submit } = authorizing

/** The order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** Runtime code of accounts that accept every signature, accept none, or never end. */
const takesAll: Hex = `0x7f1626ba7e${'00'.repeat(28)}5f5260205ff3`
const takesNone: Hex = '0x60205ff3'
const neverEnds: Hex = '0x5b5f56'
/** Runtime code that accepts every signature with at least 350,000 gas, and fails with less. */
const takesMuchGas: Hex = `0x620557305a106032577f1626ba7e${'00'.repeat(28)}60005260206000f35bfe`

const stored = async () => {
  const { rows } = await reader.db.pool.query('select * from authorizations order by id')
  return rows
}

/** The other valid signature of the same key and message, whose `s` is in the upper half. */
function malleated(signature: Hex): Hex {
  const s = order - BigInt(slice(signature, 32, 64))
  const v = Number(slice(signature, 64)) === 27 ? 28 : 27
  return concat([slice(signature, 0, 32), numberToHex(s, { size: 32 }), numberToHex(v)])
}

function compact(signature: Hex): Hex {
  const s = BigInt(slice(signature, 32, 64))
  const parity = BigInt(Number(slice(signature, 64)) - 27)
  return concat([slice(signature, 0, 32), numberToHex(s | (parity << 255n), { size: 32 })])
}

/** The same signature with 0 or 1 as `v`. */
function zeroBased(signature: Hex): Hex {
  return concat([
    slice(signature, 0, 64),
    numberToHex(Number(slice(signature, 64)) - 27, { size: 1 }),
  ])
}

describe('an authorization', () => {
  test('accepts the offer of resolve, is stored and reported, and pays, no matter who submits it', async () => {
    const intent = await reader.create()
    const offered = await reader.resolved(intent)
    expect(offered).toMatchObject({
      authorization: null,
      gasless: {
        fee_units: 0,
        domain: { name: 'USDC', version: '2', chainId: 84532 },
        message: { value: '25000000', validAfter: '0', nonce: intent.payment_reference },
      },
    })
    const body = await signed(intent)
    const { status, body: response } = await submitAuthorization(intent, body)
    expect({ status, response }).toMatchObject({
      status: 200,
      response: {
        id: intent.id,
        status: 'requires_payment',
        version: offered.version + 1,
        authorization: { from: authorizing.payer.address, status: 'in_flight', tx_hash: null },
      },
    })
    expect(await reader.resolved(intent)).toMatchObject({
      version: response.version,
      gasless: null,
      authorization: { status: 'in_flight' },
    })
    const hash = await submit(body)
    await reader.settle()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'succeeded',
      tx_hash: hash,
      authorization: { status: 'used', tx_hash: hash },
    })
    expect((await submitAuthorization(intent, body)).body.authorization.status).toBe('used')
  })

  test('wakes the relayer and the requests that wait for the intent, even if a page sends it as text', async () => {
    const intent = await reader.create()
    const body = await signed(intent)
    const listener = await reader.db.pool.connect()
    onTestFinished(() => listener.release(true))
    const heard: string[] = []
    listener.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload}`))
    await listener.query('listen authorization_stored; listen payment_intent_changed')
    const response = await reader.server.request('/v1/payment_intents/authorize', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', origin: 'https://shop.example' },
      body: JSON.stringify({ client_secret: intent.client_secret, ...body }),
    })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      200,
      '*',
    ])
    await until(() =>
      expect(heard.sort()).toEqual([
        `authorization_stored ${chain.chainId}`,
        `payment_intent_changed ${intent.id}`,
      ]),
    )
  })

  test('has the same response and is stored once if it is submitted again, with any form of its signature', async () => {
    const intent = await reader.create()
    const body = await signed(intent)
    const forms = [body.signature, compact(body.signature), zeroBased(body.signature)]
    const upper = body.signature.toUpperCase().replace('0X', '0x') as Hex
    const firstResponse = await submitAuthorization(intent, body)
    for (const signature of [...forms, upper]) {
      expect(await submitAuthorization(intent, { ...body, signature })).toMatchObject({
        status: 200,
        body: firstResponse.body,
      })
    }
    expect(await stored()).toHaveLength(1)
  })

  test.each([
    ['of 64 bytes (EIP-2098)', compact],
    ['with v of 0 or 1', zeroBased],
  ])('%s is accepted, and stored in the token’s form', async (_, form) => {
    const intent = await reader.create()
    const { authorization, signature } = await signed(intent)
    const { status } = await submitAuthorization(intent, {
      authorization,
      signature: form(signature),
    })
    expect([status, (await stored())[0].signature]).toEqual([200, signature])
  })

  test('is not offered in the last minute, after a part was received, or without a relayer', async () => {
    const [late, part, none] = [await reader.create(), await reader.create(), await reader.create()]
    await reader.pay(part, 'reference', 20_000_000)
    await reader.read()
    await reader.db.pool.query(
      `update payment_intents set expires_at = date_trunc('second', now()) + interval '60 seconds' where id = $1`,
      [late.id],
    )
    expect((await reader.resolved(late)).gasless).toBeNull()
    expect((await reader.resolved(part)).gasless).toBeNull()
    server.isOffered = false
    expect((await reader.resolved(none)).gasless).toBeNull()
  })
})

describe('refused:', () => {
  const elsewhere = { chainId: 8453, token: chainFactsOf(8453).usdc }
  const invalid = `0x${'12'.repeat(32)}` as const

  type Case = (intent: Json, body: Signed) => Promise<Partial<Signed>> | Partial<Signed>
  test.each<[string, string, Case]>([
    [
      'of another account',
      'signature_invalid',
      async (_, { authorization }) => ({
        signature: await sign(chain, authorizing.other, authorization),
      }),
    ],
    [
      'of the upper half',
      'signature_invalid',
      (_, signed) => ({ signature: malleated(signed.signature) }),
    ],
    [
      'of no parity',
      'signature_invalid',
      (_, signed) => ({ signature: concat([slice(signed.signature, 0, 64), '0x05']) }),
    ],
    [
      'of no point',
      'signature_invalid',
      () => ({ signature: `0x${'ff'.repeat(32)}${'01'.repeat(33)}` }),
    ],
    ['of 100 bytes', 'signature_invalid', () => ({ signature: `0x${'ab'.repeat(100)}` })],
    [
      'of an account that is not there yet (ERC-6492)',
      'signature_invalid',
      (_, signed) => ({ signature: concat([signed.signature, `0x${'6492'.repeat(16)}`]) }),
    ],
    [
      'of another chain and token',
      'signature_invalid',
      async (_, { authorization }) => ({
        signature: await sign(elsewhere, authorizing.payer, authorization),
      }),
    ],
    [
      'of other terms',
      'signature_invalid',
      async (_, { authorization }) => ({
        signature: await sign(chain, authorizing.payer, { ...authorization, value: '1' }),
      }),
    ],
    [
      'of an account with too little',
      'insufficient_token',
      async (intent) => signed(intent, await authorizing.funded(24_999_999)),
    ],
    [
      'while USDC is paused',
      'token_paused',
      async () => {
        await authorizing.callToken({ functionName: 'pause' })
        return {}
      },
    ],
    [
      'of a blocked account',
      'address_blocked',
      async () => {
        await authorizing.callToken({
          functionName: 'blacklist',
          args: [authorizing.payer.address],
        })
        return {}
      },
    ],
    [
      'to a blocked wallet',
      'address_blocked',
      async () => {
        await authorizing.callToken({ functionName: 'blacklist', args: [reader.merchant.wallet] })
        return {}
      },
    ],
    [
      'whose nonce is used',
      'authorization_used',
      async (_, body) => {
        await submit(body)
        return {}
      },
    ],
    [
      'after the merchant has canceled',
      'illegal_state',
      async (intent) => {
        await reader.server.request(`/v1/payment_intents/${intent.id}/cancel`, {
          method: 'POST',
          headers: { authorization: `Bearer ${reader.merchant.apiKey}` },
        })
        return {}
      },
    ],
    [
      'after a part has come',
      'illegal_state',
      async (intent) => {
        await reader.pay(intent, 'reference', 20_000_000)
        await reader.read()
        return {}
      },
    ],
    [
      'where no relayer can pay',
      'gasless_unavailable',
      () => {
        server.isOffered = false
        return {}
      },
    ],
  ])('%s: %s', async (_, reason, change) => {
    const intent = await reader.create()
    const body = await signed(intent)
    const { version } = await reader.resolved(intent)
    const changes = await change(intent, body)
    const { status, body: error } = await submitAuthorization(intent, { ...body, ...changes })
    const isInvalidSignature = reason === 'signature_invalid'
    expect({ status, ...error }).toMatchObject({
      status: isInvalidSignature ? 400 : 409,
      error: isInvalidSignature ? 'invalid_body' : 'conflict',
      reason,
    })
    expect(await stored()).toEqual([])
    if (reason !== 'illegal_state') expect((await reader.resolved(intent)).version).toBe(version)
  })

  test('terms that differ from those of resolve, each named in the response', async () => {
    const intent = await reader.create()
    const terms = {
      to: authorizing.other.address,
      value: String(intent.payable_amount_units),
      validAfter: '1',
      validBefore: '99999999999',
      nonce: invalid,
    }
    const { status, body } = await submitAuthorization(
      intent,
      await signed(intent, authorizing.payer, terms),
    )
    expect(status).toBe(400)
    expect(body.issues.map(({ path }: Json) => path)).toEqual(
      Object.keys(terms).map((name) => `authorization.${name}`),
    )
    expect(await stored()).toEqual([])
  })

  test('somebody’s authorization for another order, submitted for mine', async () => {
    const [theirs, mine] = [await reader.create(), await reader.create()]
    const body = await signed(theirs)
    const { status, body: error } = await submitAuthorization(mine, body)
    expect(status).toBe(400)
    expect(error.issues.map(({ path }: Json) => path)).toContain('authorization.nonce')
    expect((await submitAuthorization(theirs, body)).status).toBe(200)
  })

  test('a late submission, by the chain’s clock', async () => {
    const intent = await reader.create()
    const { rows } = await reader.db.pool.query(
      `update payment_intents set expires_at = date_trunc('second', now()) + interval '10 seconds'
       where id = $1 returning extract(epoch from expires_at)::bigint::text as at`,
      [intent.id],
    )
    const message = {
      from: authorizing.payer.address,
      to: intent.expected_wallet,
      value: '25000000',
      validAfter: '0',
      validBefore: rows[0].at,
      nonce: intent.payment_reference,
    }
    const signature = await sign(chain, authorizing.payer, message)
    const { body } = await submitAuthorization(intent, { authorization: message, signature })
    expect(body.reason).toBe('intent_expired')
  })

  test('wrong bodies, secrets and sizes', async () => {
    const intent = await reader.create()
    const body = await signed(intent)
    const statusOf = async (input: object, secret = intent) =>
      (await submitAuthorization(secret, input)).status
    expect(await statusOf({ ...body, signature: '0x12' })).toBe(400)
    expect(await statusOf({ ...body, extra: 1 })).toBe(400)
    expect(await statusOf({ ...body, authorization: { ...body.authorization, value: '01' } })).toBe(
      400,
    )
    expect(await statusOf({ ...body, signature: `0x${'ab'.repeat(32 * 1024)}` })).toBe(400)
    expect(await statusOf(body, { client_secret: `${intent.client_secret}x` })).toBe(404)
    for (const field of ['value', 'validAfter', 'validBefore']) {
      for (const number of ['9'.repeat(78), String(2n ** 256n), 'abc', '', '-1', '1e3', '0x1']) {
        const authorization = { ...body.authorization, [field]: number }
        expect(await statusOf({ ...body, authorization }), `${field} ${number}`).toBe(400)
      }
    }
  })

  test('every submission while no provider responds: 503 with Retry-After, and nothing is stored', async () => {
    const intent = await reader.create()
    const body = await signed(intent)
    server.simulate = simulateAt('http://127.0.0.1:9')
    const response = await submitAuthorization(intent, body)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await stored()).toEqual([])
    server.simulate = simulateAt(chain.url)
    expect((await submitAuthorization(intent, body)).status).toBe(200)
  })
})

describe('an account with code', () => {
  async function submitFrom(code: Hex) {
    const intent = await reader.create()
    const account = await authorizing.funded(30_000_000)
    await chain.rpc('anvil_setCode', [account.address, code])
    const { authorization } = await signed(intent, account)
    const signature = `0x${'ab'.repeat(200)}` as const
    const { body } = await submitAuthorization(intent, { authorization, signature })
    return { intent, signed: { authorization, signature }, body }
  }

  test('verifies a signature of its own form, which is submitted unchanged', async () => {
    const { intent, signed: authorization, body } = await submitFrom(takesAll)
    expect(body.authorization).toMatchObject({ status: 'in_flight' })
    await submit(authorization)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({ authorization: { status: 'used' } })
  })

  test.each([
    ['that takes no signature', takesNone],
    ['whose check never ends', neverEnds],
    ['whose check needs more gas than a relayer gives', takesMuchGas],
  ])('%s is refused', async (_, code) => {
    expect((await submitFrom(code)).body.reason).toBe('signature_invalid')
  })

  test('is distinguished from an account without code, whose signature is checked as v, r and s, as it is submitted', async () => {
    const proxy = await startFaultProxy(chain.url)
    server.simulate = simulateAt(proxy.url)
    // The selectors of transferWithAuthorization with the signature as bytes, and with v, r and s.
    for (const [selector, status] of [['0xcf092995', 200] as const, ['0xe3ee160e', 409] as const]) {
      proxy.faults = {
        async instead(_method, forward, [call]) {
          const { data } = Object(call)
          if (data?.startsWith(selector)) throw Object.assign(new Error('qwertz'), { code: 3 })
          return forward()
        },
      }
      const intent = await reader.create()
      expect((await submitAuthorization(intent, await signed(intent))).status).toBe(status)
    }
  })

  test('needs the token’s acceptance if a node does not say why a call fails', async () => {
    const proxy = await startFaultProxy(chain.url)
    proxy.faults = { instead: inUnknownWords(-32_000) }
    server.simulate = simulateAt(proxy.url)
    expect((await submitFrom(takesAll)).body.authorization).toMatchObject({ status: 'in_flight' })
    expect((await submitFrom(takesNone)).body.reason).toBe('gasless_unavailable')
    const intent = await reader.create()
    const body = await signed(intent)
    expect((await submitAuthorization(intent, body)).status, 'a private key').toBe(200)
  })
})

describe('one live authorization', () => {
  test('per intent: of two accounts at once, one is accepted', async () => {
    const intent = await reader.create()
    const both = await Promise.all([signed(intent), signed(intent, authorizing.other)])
    const responses = await Promise.all(both.map((body) => submitAuthorization(intent, body)))
    expect(responses.map(({ body }) => body.reason ?? body.authorization.status).sort()).toEqual([
      'in_flight',
      'payment_in_flight',
    ])
    expect(await stored()).toHaveLength(1)
  })

  test('for many equal concurrent requests', async () => {
    const intent = await reader.create()
    const body = await signed(intent)
    const many = Array.from({ length: isFull ? 50 : 20 }, () => submitAuthorization(intent, body))
    const responses = await Promise.all(many)
    expect(new Set(responses.map(({ body: response }) => JSON.stringify(response))).size).toBe(1)
    expect(await stored()).toHaveLength(1)
  })

  test('per unit: of twenty intents at once, the balance covers three', async () => {
    const account = await authorizing.funded(3 * 25_000_000 + 24_999_999)
    const intents = await Promise.all(Array.from({ length: 20 }, () => reader.create()))
    const bodies = await Promise.all(intents.map((intent) => signed(intent, account)))
    const responses = await Promise.all(
      intents.map((intent, index) => submitAuthorization(intent, bodies[index] ?? {})),
    )
    const reasons = responses.map(({ body }) => body.reason ?? 'taken')
    expect(reasons.filter((reason) => reason === 'taken')).toHaveLength(3)
    expect(reasons.filter((reason) => reason === 'insufficient_token')).toHaveLength(17)
  })

  test('is refused for an account with ten reverted transactions in a day', async () => {
    const before = await reader.create()
    expect((await submitAuthorization(before, await signed(before))).status).toBe(200)
    await reader.db.pool.query(`
      with ended as (update authorizations set status = 'expired' returning id, chain_id)
      insert into relayer_transactions (chain_id, relayer, tx_hash, nonce, authorization_id, raw,
        gas_limit, max_fee_per_gas, max_priority_fee_per_gas, state, succeeded)
      select chain_id, '0x', 'tx' || n, n, id, '0x', 1, 1, 1, 'final', false
      from ended, generate_series(1, 10) n`)
    const intent = await reader.create()
    const authorization = await signed(intent)
    const refused = { status: 409, body: { reason: 'gasless_unavailable' } }
    expect(await submitAuthorization(intent, authorization)).toMatchObject(refused)
    // These transactions were reverted since somebody else had submitted the authorization.
    await reader.db.pool.query("update authorizations set status = 'used'")
    expect((await submitAuthorization(intent, authorization)).status).toBe(200)
  })

  test('is refused for an account whose code was reverted twenty times in an hour, with any account', async () => {
    const [account, other] = [
      await authorizing.funded(60_000_000),
      await authorizing.funded(30_000_000),
    ]
    for (const { address } of [account, other]) {
      await chain.rpc('anvil_setCode', [address, takesAll])
    }
    const before = await reader.create()
    expect((await submitAuthorization(before, await signed(before, account))).status).toBe(200)
    await reader.db.pool.query(
      `with ended as (update authorizations set status = 'expired' returning id, chain_id)
       insert into relayer_transactions (chain_id, relayer, tx_hash, nonce, authorization_id, raw,
         gas_limit, max_fee_per_gas, max_priority_fee_per_gas, state, succeeded, code_hash)
       select chain_id, '0x', 'tx' || n, n, id, '0x', 1, 1, 1, 'final', false, $1
       from ended, generate_series(1, 20) n`,
      [keccak256(takesAll)],
    )
    const intent = await reader.create()
    const refused = { status: 409, body: { reason: 'gasless_unavailable' } }
    expect(await submitAuthorization(intent, await signed(intent, other))).toMatchObject(refused)
    expect((await submitAuthorization(intent, await signed(intent))).status, 'without code').toBe(
      200,
    )
    await reader.db.pool.query(
      `update relayer_transactions set created_at = now() - interval '61 minutes'`,
    )
    const later = await reader.create()
    expect((await submitAuthorization(later, await signed(later, other))).status).toBe(200)
  })

  test('keeps the merchant from canceling', async () => {
    const intent = await reader.create()
    await submitAuthorization(intent, await signed(intent))
    const response = await reader.server.request(`/v1/payment_intents/${intent.id}/cancel`, {
      method: 'POST',
      headers: { authorization: `Bearer ${reader.merchant.apiKey}` },
    })
    expect([response.status, (await response.json()).reason]).toEqual([409, 'payment_in_flight'])
    expect((await reader.resolved(intent)).status).toBe('requires_payment')
  })

  test('may be submitted again after it was refused, for example once the balance has grown', async () => {
    const intent = await reader.create()
    const body = await signed(intent)
    await submitAuthorization(intent, body)
    await reader.db.pool.query(
      `update authorizations set status = 'refused', reason = 'insufficient_token', ended_at = now(),
         created_at = now() - interval '1 hour'`,
    )
    expect((await reader.resolved(intent)).gasless).not.toBeNull()
    expect((await submitAuthorization(intent, body)).body.authorization).toMatchObject({
      status: 'in_flight',
      reason: null,
    })
    const { rows } = await reader.db.pool.query(
      `select created_at > now() - interval '1 minute' as "isNew" from authorizations`,
    )
    expect(rows, 'a relayer has the whole time once more').toEqual([{ isNew: true }])
  })
})
