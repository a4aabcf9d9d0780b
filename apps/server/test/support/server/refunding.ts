import type { DevAccount } from '@payment-intents/testing'
import { afterEach, beforeEach, expect } from 'vitest'
import { setMerchantWallet } from '../../../src/store/merchants/merchants.ts'
import { sign } from '../chain/signAuthorization.ts'
import { findAttentionMismatches } from '../database/findAttentionMismatches.ts'
import { type Authorizing, authorizingOfTest, type Signed } from './authorizing.ts'
import { merchantApi } from './merchantApi.ts'
import type { Json } from './testServer.ts'

export type Refunding = Authorizing & {
  /** The merchant's wallet, which receives and pays refunds. */
  readonly shop: DevAccount
  readonly api: ReturnType<typeof merchantApi>
  /** Creates an intent, and pays it until it has succeeded. */
  paid(body?: Record<string, unknown>): Promise<Json>
  /** Sends a request, and expects a status. */
  send(path: string, body: unknown, status?: number): Promise<Json>
  /** Creates a refund of an intent, by default to the payer. */
  refund(intent: Json, body?: Record<string, unknown>, status?: number): Promise<Json>
  read(refund: Json): Promise<Json>
  /** Signs the message of a refund, as this account. */
  signedBy(refund: Json, account?: DevAccount, more?: object): Promise<Signed>
  authorize(refund: Json, signed: Signed, status?: number): Promise<Json>
  /** The types of a refund's events without `refund.`. Expects a sequence without gaps. */
  eventsOfRefund(refund: Json): Promise<string[]>
}

/** A server that accepts the signatures of refunds, and whose chain is read when a test reads it. */
export function refundingOfTest(options?: Parameters<typeof authorizingOfTest>[0]): Refunding {
  const authorizing = authorizingOfTest(options)
  const { reader, chain } = authorizing
  const shop = () => chain.accounts[5] as DevAccount
  const api = () => merchantApi(reader.server, reader.merchant.apiKey)
  afterEach(async () => expect(await findAttentionMismatches(reader.db)).toEqual([]))
  beforeEach(() =>
    setMerchantWallet(reader.db.pool, {
      ...{ merchantId: reader.merchant.id, mode: 'testnet', chain: 'base' },
      address: shop().address,
    }),
  )

  async function send(path: string, body: unknown, status = 200): Promise<Json> {
    const response = await api().post(path, body)
    const content = await response.json()
    expect({ status: response.status, received: content }).toMatchObject({ status })
    return content
  }

  const { signed, submitAuthorization, submit, funded, callToken, server } = authorizing
  return {
    ...{ reader, chain, server, signed, submitAuthorization, submit, funded, callToken },
    get payer() {
      return authorizing.payer
    },
    get other() {
      return authorizing.other
    },
    get shop() {
      return shop()
    },
    get api() {
      return api()
    },
    async paid(body = {}) {
      const intent = await reader.create({ wallet_address: shop().address, ...body })
      await reader.pay(intent, 'reference', intent.amount_units)
      await reader.settle()
      return intent
    },
    send,
    refund: ({ id }: Json, body = {}, status = 200) =>
      send(
        '/v1/refunds',
        { payment_intent: id, destination: authorizing.payer.address, ...body },
        status,
      ),
    read: ({ id }: Json) => api().read(`/v1/refunds/${id}`),
    async signedBy({ typed_data }: Json, account = shop(), more = {}) {
      const authorization = { from: account.address, ...typed_data.message, ...more }
      return { authorization, signature: await sign(chain, account, authorization) }
    },
    authorize: ({ id }: Json, signed: Signed, status = 200) =>
      send(`/v1/refunds/${id}/authorize`, signed, status),
    async eventsOfRefund({ id }: Json) {
      const { rows } = await reader.db.pool.query(
        'select type, sequence from events where refund_id = $1 order by sequence',
        [id],
      )
      expect(rows.map((row) => row.sequence)).toEqual(rows.map((_, index) => index + 1))
      return rows.map((row) => row.type.replace('refund.', ''))
    },
  }
}
