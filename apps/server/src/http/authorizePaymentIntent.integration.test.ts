import type { DevAccount } from '@payment-intents/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { messageOf, sign } from '../../test/authorization.ts'
import { readerOfTest } from '../../test/reader.ts'
import { type Json, post, resolveIntent } from '../../test/testServer.ts'
import { connect } from '../chain/connection.ts'
import { createInspect } from '../chain/inspectAuthorization.ts'
import type { InspectAuthorization } from '../intents/acceptAuthorization.ts'
import { transferCall } from '../relay/transferCall.ts'

let isOffered = true
let inspect: InspectAuthorization
const { reader, chain } = readerOfTest({
  gasless: { isConfigured: () => true, isOffered: () => isOffered },
  inspectAuthorization: (...asked) => inspect(...asked),
})
const authorize = '/v1/payment_intents/authorize'
let payer: DevAccount
let other: DevAccount

beforeEach(() => {
  isOffered = true
  const connection = connect(chain.url)
  const { host } = connection
  const providers = {
    choose: () => ({ host }),
    checkHealth: async () => {},
    connections: [connection],
  }
  inspect = createInspect({ providers: () => providers as never, log: { debug() {} } })
  const [, first, second] = chain.accounts as [DevAccount, DevAccount, DevAccount]
  payer = first
  other = second
})

const resolved = (intent: Json) => resolveIntent(reader.server, intent.client_secret)

async function handIn(intent: Json, body: object): Promise<{ status: number; body: Json }> {
  const answer = await post(reader.server, authorize, {
    client_secret: intent.client_secret,
    ...body,
  })
  return { status: answer.status, body: await answer.json() }
}

async function signed(intent: Json, by = payer, more = {}) {
  const authorization = messageOf(await resolved(intent), by, more)
  return { authorization, signature: await sign(chain, by, authorization) }
}

describe('an authorization', () => {
  test('is what resolve offers, is stored, told, and paid by whoever submits it', async () => {
    const intent = await reader.create()
    const offered = await resolved(intent)
    expect(offered).toMatchObject({
      authorization: null,
      gasless: {
        fee_units: 0,
        message: { value: '25000000', validAfter: '0', nonce: intent.payment_reference },
      },
    })
    const body = await signed(intent)
    const held = resolveIntent(reader.server, intent.client_secret, {
      after_version: offered.version,
      wait_seconds: 25,
    })
    const { status, body: answer } = await handIn(intent, body)
    expect({ status, answer }).toMatchObject({
      status: 200,
      answer: {
        id: intent.id,
        status: 'requires_payment',
        version: offered.version + 1,
        authorization: { from: payer.address, status: 'in_flight', tx_hash: null },
      },
    })
    expect(await held).toMatchObject({ gasless: null, authorization: { status: 'in_flight' } })

    const data = transferCall(body.authorization, body.signature)
    const hash = await chain.rpc('eth_sendTransaction', [
      { from: other.address, to: chain.token, data },
    ])
    await reader.settle()
    expect(await resolved(intent)).toMatchObject({
      status: 'succeeded',
      tx_hash: hash,
      gasless: null,
      authorization: { status: 'used', tx_hash: hash },
    })
    expect((await handIn(intent, body)).body.authorization.status).toBe('used')
  })
})
