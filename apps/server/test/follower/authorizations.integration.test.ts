import { randomBytes } from 'node:crypto'
import type { AuthorizationSubmission } from '@payment-intents/core'
import type { DevAccount } from '@payment-intents/testing'
import pg from 'pg'
import type { Hex } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { endAuthorizations } from '../../src/store/authorizations/endAuthorizations.ts'
import { createPreviewAuthorization } from '../../src/store/authorizations/previewAuthorization.ts'
import { withdrawAuthorizations } from '../../src/store/authorizations/withdrawAuthorizations.ts'
import { findIntents } from '../../src/store/payment-intents/paymentIntents.ts'
import { sign } from '../support/chain/signAuthorization.ts'
import { authorizingOfTest, type Signed } from '../support/server/authorizing.ts'
import { authorizationService, submit as submitInProcess } from '../support/server/directActions.ts'
import type { Json } from '../support/server/testServer.ts'

const authorizing = authorizingOfTest()
const { reader, chain, server, signed, submitAuthorization, submit } = authorizing

/** Creates an intent, and submits the authorization that resolve offers. */
async function authorized(body: Record<string, unknown> = {}) {
  const intent = await reader.create(body)
  const signedAuthorization = await signed(intent)
  expect((await submitAuthorization(intent, signedAuthorization)).status).toBe(200)
  return { intent, signed: signedAuthorization }
}

/** The status of the intent and its authorization, as resolve shows them, and the version. */
async function stateOf(intent: Json) {
  const { version, status, authorization } = await reader.resolved(intent)
  const { reason = null } = authorization ?? {}
  return { version, status, authorization: authorization?.status ?? null, reason }
}

const nonce = (): Hex => `0x${randomBytes(32).toString('hex')}`

/** Signs like an x402 client: with a nonce and a time of its own. */
async function freely(
  intent: Json,
  more: Partial<Signed['authorization']> = {},
  by: DevAccount = authorizing.payer,
): Promise<Signed> {
  const now = Math.floor(Date.now() / 1_000)
  const authorization = {
    ...{ from: by.address, to: intent.expected_wallet, value: String(intent.amount_units) },
    ...{ validAfter: String(now - 600), validBefore: String(now + 60), nonce: nonce() },
    ...more,
  }
  return { authorization, signature: await sign(chain, by, authorization) }
}

async function asHandedIn(
  intent: Json,
  { authorization, signature }: Signed,
): Promise<AuthorizationSubmission> {
  const result = (await findIntents(reader.db.pool, [intent.id])).get(intent.id)?.value
  return { intent: result ?? expect.fail('no intent'), authorization, signature, source: 'x402' }
}

function previewer(now: () => number) {
  const preview = createPreviewAuthorization(reader.db, now)
  const atOnce = <Result>(work: () => Promise<Result>) => work()
  return (submission: AuthorizationSubmission, serialize = atOnce) =>
    preview(
      authorizationService(reader.db, { simulateTransfer: server.simulate }),
      submission,
      serialize,
    )
}

async function submitFreely(intent: Json, signedAuthorization: Signed) {
  return submitInProcess(
    reader.db,
    { simulateTransfer: server.simulate },
    await asHandedIn(intent, signedAuthorization),
  )
}

describe('an authorization', () => {
  test('stays used if a reorg moves it to another block', async () => {
    const { intent, signed: signedAuthorization } = await authorized()
    await submit(signedAuthorization)
    await reader.read()
    await chain.reorg(1)
    const secondHash = await submit(signedAuthorization)
    await chain.mine(3)
    await reader.read()
    expect(await reader.resolved(intent)).toMatchObject({
      status: 'pending_confirmations',
      authorization: { status: 'used', tx_hash: secondHash },
    })
  })

  test('expires by the chain’s clock, which raises the version and lets the merchant cancel', async () => {
    const { intent } = await authorized({ expires_in_minutes: 5 })
    const { version } = await stateOf(intent)
    await chain.increaseTime(5 * 60 - 10)
    await chain.mine()
    await reader.read()
    expect(await stateOf(intent)).toMatchObject({ version, authorization: 'in_flight' })
    await chain.increaseTime(20)
    await chain.mine()
    await reader.read()
    expect(await stateOf(intent)).toMatchObject({ status: 'expired', authorization: 'expired' })
  })

  test.each<[string, string]>([
    ['was broadcast', `tx_hash = '0x12'`],
    ['was broadcast by somebody else', 'nonce_used_at = now()'],
  ])('that %s expires once that is as deep as a payment has to be', async (_, change) => {
    const { intent } = await authorized({ expires_in_minutes: 5 })
    await reader.db.pool.query(`update authorizations set ${change}`)
    await chain.increaseTime(5 * 60 + 10)
    await chain.mine()
    const depth = Number(intent.confirmations_required)
    for (let blocks = 1; blocks < depth; blocks++) {
      await reader.read()
      expect((await stateOf(intent)).authorization, `after ${blocks}`).toBe('in_flight')
      await chain.mine()
    }
    await reader.read()
    expect(await stateOf(intent)).toMatchObject({ status: 'expired', authorization: 'expired' })
  })

  test('expires alone if its own time is over before the intent’s', async () => {
    const intent = await reader.create()
    const signedAuthorization = await freely(intent)
    expect((await submitFreely(intent, signedAuthorization)).type).toBe('accepted')
    const { version } = await stateOf(intent)
    await chain.increaseTime(70)
    await chain.mine()
    await reader.read()
    expect(await stateOf(intent)).toEqual({
      ...{ version: version + 1, status: 'requires_payment', reason: null },
      authorization: 'expired',
    })
    expect(await reader.eventsOf(intent)).toEqual(['created'])
  })

  test('is refused if the intent is paid otherwise, unless it was broadcast', async () => {
    const [idle, sent] = [await authorized(), await authorized()]
    const hash = `0x${'7'.repeat(64)}`
    await reader.db.pool.query('update authorizations set tx_hash = $2 where intent_id = $1', [
      sent.intent.id,
      hash,
    ])
    for (const { intent } of [idle, sent]) await reader.pay(intent, 'reference')
    await reader.read()
    expect(await stateOf(idle.intent)).toMatchObject({
      status: 'pending_confirmations',
      authorization: 'refused',
      reason: 'intent_paid',
    })
    expect(await stateOf(sent.intent)).toMatchObject({ authorization: 'in_flight' })
    await submit(sent.signed)
    await reader.read()
    expect(await reader.resolved(sent.intent)).toMatchObject({
      exceptions: ['multiple'],
      authorization: { status: 'used' },
    })
  })

  test('changes only if the poll has locked its intent', async () => {
    const [locked, other] = [await authorized(), await authorized()]
    await endAuthorizations(reader.db.pool, {
      ...{ chainId: chain.chainId, timestamp: 2 ** 40, used: [], orphaned: [] },
      ...{ locked: [locked.intent.id], refunds: [], changed: [], paid: [] },
    })
    expect(await stateOf(locked.intent)).toMatchObject({ authorization: 'expired' })
    expect(await stateOf(other.intent)).toMatchObject({ authorization: 'in_flight' })
  })

  test('needs no statements of its own: a poll needs as many for many authorizations', async () => {
    const statements = async (count: number) => {
      const all = await Promise.all(Array.from({ length: count }, () => authorized()))
      for (const payment of all) await submit(payment.signed)
      const names = await namesOf(() => reader.readOnce())
      for (const { intent } of all) {
        expect(await stateOf(intent)).toMatchObject({ authorization: 'used' })
      }
      return names
    }
    await statements(1)
    const few = await statements(2)
    expect(few).toContain('end-authorizations')
    expect(await statements(12)).toEqual(few)
  })
})

/** The names of the statements in transactions that run during the work, in order. */
async function namesOf(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    const statements = query.mock.calls.map(
      ([statement]) => statement as unknown as { name?: string },
    )
    return statements.flatMap(({ name }) => name ?? [])
  } finally {
    query.mockRestore()
  }
}

test('an authorization that is withdrawn reopens the other payment methods, still pays if it is used, and may be submitted again', async () => {
  const { intent, signed: signedAuthorization } = await authorized()
  await reader.db.pool.query(`update authorizations set created_at = now() - interval '16 seconds'`)
  const { version } = await stateOf(intent)
  await withdrawAuthorizations(reader.db)
  expect(await stateOf(intent)).toEqual({
    ...{ version: version + 1, status: 'requires_payment' },
    ...{ authorization: 'refused', reason: 'gasless_unavailable' },
  })
  expect((await reader.resolved(intent)).gasless).not.toBeNull()
  const otherSigned = await signed(intent, authorizing.other)
  expect((await submitAuthorization(intent, otherSigned)).body.authorization).toMatchObject({
    status: 'in_flight',
  })
  await reader.db.pool.query(`update authorizations set created_at = now() - interval '16 seconds'`)
  await withdrawAuthorizations(reader.db)
  expect((await submitAuthorization(intent, signedAuthorization)).body.authorization).toMatchObject(
    {
      status: 'in_flight',
    },
  )
  await reader.db.pool.query(`update authorizations set created_at = now() - interval '16 seconds'`)
  await withdrawAuthorizations(reader.db)
  await submit(signedAuthorization)
  await reader.settle()
  expect(await stateOf(intent)).toMatchObject({ status: 'succeeded', authorization: 'used' })
})

describe('the authorization of a client that draws its nonce', () => {
  test('binds to the intent that it was submitted for', async () => {
    const [intent, twin] = [await reader.create(), await reader.create()]
    const signedAuthorization = await freely(intent)
    expect((await submitFreely(intent, signedAuthorization)).type).toBe('accepted')
    expect((await submitFreely(intent, signedAuthorization)).type).toBe('repeated')
    await submit(signedAuthorization)
    await reader.settle()
    expect(await stateOf(intent)).toMatchObject({ status: 'succeeded', authorization: 'used' })
    expect(await stateOf(twin)).toMatchObject({ status: 'requires_payment', authorization: null })
    const { rows } = await reader.db.pool.query('select bound_by from transfers')
    expect(rows).toEqual([{ bound_by: 'authorization' }])
  })

  test('counts once beside the next authorization of its account, even if it is submitted while that is checked', async () => {
    const [firstIntent, secondIntent] = [await reader.create(), await reader.create()]
    const [signedAuthorization, secondAuthorization] = [
      await freely(firstIntent),
      await freely(secondIntent),
    ]
    let now = 0
    const check = previewer(() => now)
    const { simulate } = server
    let balance = BigInt(firstIntent.amount_units)
    server.simulate = async (...requested) => {
      const simulation = await simulate(...requested)
      return simulation && { ...simulation, balance }
    }
    expect(await check(await asHandedIn(firstIntent, signedAuthorization))).toEqual({
      type: 'fitting',
    })
    let requested = 0
    // The conflicts are read, but nothing is decided yet.
    const between = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const done = await work()
      requested += 1
      expect((await submitFreely(firstIntent, signedAuthorization)).type).toBe('accepted')
      return done
    }
    const checked = await check(await asHandedIn(secondIntent, secondAuthorization), between)
    expect(checked).toMatchObject({ type: 'refused', reason: 'insufficient_token' })
    expect(requested).toBe(1)
    balance *= 2n
    now = 5_000
    expect(await check(await asHandedIn(secondIntent, secondAuthorization))).toEqual({
      type: 'fitting',
    })
  })

  test('that would be refused costs a single call to the chain, even if it is repeated within seconds', async () => {
    const intent = await reader.create()
    const [signedAuthorization, otherAuthorization] = [await freely(intent), await freely(intent)]
    let [now, requested] = [0, 0]
    const check = previewer(() => now)
    const { simulate } = server
    server.simulate = async (...input) => {
      requested += 1
      const simulation = await simulate(...input)
      return simulation && { ...simulation, balance: 0n }
    }
    const refused = async (signed: Signed) => {
      const checked = await check(await asHandedIn(intent, signed))
      expect(checked).toMatchObject({ type: 'refused', reason: 'insufficient_token' })
      return requested
    }
    expect([
      await refused(signedAuthorization),
      await refused(signedAuthorization),
      await refused(otherAuthorization),
    ]).toEqual([1, 1, 2])
    now = 5_000
    expect(await refused(signedAuthorization)).toBe(3)
  })

  test('yields to the exact payable amount of another intent', async () => {
    const theirs = await reader.create()
    const mine = await reader.create({ amount_units: theirs.payable_amount_units })
    const signedAuthorization = await freely(mine)
    expect((await submitFreely(mine, signedAuthorization)).type).toBe('accepted')
    await submit(signedAuthorization)
    await reader.read()
    expect(await stateOf(theirs)).toMatchObject({ status: 'pending_confirmations' })
    expect(await stateOf(mine)).toMatchObject({ status: 'requires_payment', authorization: 'used' })
  })

  test.each([
    ['mined again', 3],
    ['mined in another transaction', 5],
  ])('counts only if it was submitted before the chain had it, even if it is %s', async (_, by) => {
    const intent = await reader.create()
    const signedAuthorization = await freely(intent)
    await submit(signedAuthorization)
    expect(await submitFreely(intent, signedAuthorization)).toMatchObject({
      reason: 'authorization_used',
    })
    // This node has not received the transaction yet.
    const { simulate } = server
    server.simulate = async (...requested) => {
      const simulation = await simulate(...requested)
      return simulation && { ...simulation, nonceUsed: false, simulated: 'passed' }
    }
    const twin = await reader.create()
    await reader.read()
    expect((await submitFreely(intent, signedAuthorization)).type).toBe('accepted')
    await chain.reorg(1)
    await submit(signedAuthorization, chain.accounts[by])
    await chain.mine(3)
    await reader.read()
    for (const candidate of [intent, twin]) {
      expect(await stateOf(candidate)).toMatchObject({ status: 'requires_payment' })
    }
  })

  test.each<[string, (input: { theirs: Json; now: number }) => object, object]>([
    [
      'names another intent',
      ({ theirs }) => ({ nonce: theirs.payment_reference }),
      { reason: 'authorization_used' },
    ],
    [
      'has not begun',
      ({ now }) => ({ validAfter: String(now + 60) }),
      { issues: [{ path: 'authorization.validAfter' }] },
    ],
    [
      'outlasts the intent',
      ({ now }) => ({ validBefore: String(now + 3600) }),
      { issues: [{ path: 'authorization.validBefore' }] },
    ],
    [
      'is over in a moment',
      ({ now }) => ({ validBefore: String(now + 9) }),
      { reason: 'intent_expired' },
    ],
    ['pays another price', () => ({ value: '1' }), { issues: [{ path: 'authorization.value' }] }],
  ])('is refused if it %s', async (_, change, refusal) => {
    const [intent, theirs] = [await reader.create(), await reader.create()]
    const more = change({ theirs, now: Math.floor(Date.now() / 1_000) })
    expect(await submitFreely(intent, await freely(intent, more))).toMatchObject(refusal)
  })

  test('belongs to the first intent if it is submitted for two at once', async () => {
    const [intent, twin] = [await reader.create(), await reader.create()]
    const signedAuthorization = await freely(intent)
    const responses = await Promise.all([
      submitFreely(intent, signedAuthorization),
      submitFreely(twin, signedAuthorization),
    ])
    expect(
      responses.map((outcome) => ('reason' in outcome ? outcome.reason : outcome.type)).sort(),
    ).toEqual(['accepted', 'authorization_used'])
  })

  test('is simulated for the next block if the chain pauses, so that its newest block is too old', async () => {
    const intent = await reader.create()
    const now = Math.floor(Date.now() / 1_000)
    await chain.rpc('anvil_setTime', [now])
    const signedAuthorization = await freely(intent, { validAfter: String(now - 2) })
    expect((await submitFreely(intent, signedAuthorization)).type).toBe('accepted')
  })
})
