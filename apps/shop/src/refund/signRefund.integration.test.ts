import { join } from 'node:path'
import { createClient, type ListedRefund, type Refund } from '@payment-intents/node'
import { webhookEvent, webhookRequest } from '@payment-intents/testing/webhooks'
import { recoverTypedDataAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newFolder } from '../../../../tests/support/newFolder.ts'
import { startProcess, type TestProcess } from '../../../../tests/support/startProcess.ts'
import { anOrder } from '../../test/anOrder.ts'
import { type RequestOf, startStandInApi } from '../../test/standInApi.ts'
import { openShopDatabase } from '../db/openShopDatabase.ts'
import { insertOrder } from '../db/orders.ts'
import { signRefund } from './signRefund.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const key = `0x${'ab'.repeat(32)}` as const
const signer = privateKeyToAccount(key)
const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** A refund of the order's payment; its buyer has named the destination, and the shop's wallet has to sign. */
const aRefund: ListedRefund = webhookEvent('refund.updated', {
  object: {
    id: 're_1',
    payment_intent: anOrder.payment_intent_id,
    destination_proof: 'payer_signature',
    metadata: { order_id: anOrder.id },
  },
}).data.object

let api: Awaited<ReturnType<typeof startStandInApi>>
let refund: Refund
let isAway: boolean
/** The submitted bodies. */
let authorized: RequestOf['body'][]
let folder: string
const shops: TestProcess[] = []

beforeEach(async () => {
  refund = retrieved()
  isAway = false
  authorized = []
  api = await startStandInApi(({ path, body }) => {
    if (path?.startsWith('/v1/events')) return { status: 200, body: { data: [], has_more: false } }
    if (isAway) return { status: 500, body: { error: 'internal_error', message: 'away' } }
    if (path?.endsWith('/authorize')) {
      authorized.push(body)
      refund = retrieved({ ...refund, status: 'pending', from: signer.address })
    }
    return { status: 200, body: refund }
  })
  folder = newFolder()
  const db = openShopDatabase(folder)
  insertOrder(db, anOrder)
  db.close()
})

afterEach(async () => {
  for (const shop of shops.splice(0)) await shop.end('SIGKILL')
  await api.close()
})

async function openShop() {
  const shop = startProcess(join(import.meta.dirname, '../main.ts'), {
    env: {
      PORT: '0',
      DATA_DIR: folder,
      PAYMENT_INTENTS_API_KEY: 'sk_test_1',
      PAYMENT_INTENTS_WEBHOOK_SECRET: secret,
      PAYMENT_INTENTS_BASE_URL: api.url,
      REFUND_KEY: key,
    },
  })
  shops.push(shop)
  const [, url = ''] = await shop.prints(/open at (\S+)/)
  return { shop, url }
}

const named = () => webhookEvent('refund.updated', { sequence: 2, object: aRefund })

async function deliver(url: string, event = named()): Promise<void> {
  expect((await fetch(`${url}/webhooks`, webhookRequest(event, secret))).status).toBe(200)
}

function sign(recorded: Partial<ListedRefund> = {}): Promise<void> {
  const client = createClient({ apiKey: 'sk_test_1', baseUrl: api.url })
  return signRefund({ client, signer }, { ...aRefund, ...recorded })
}

test('the wallet signs the amount, the destination and the reference of the refund', async () => {
  await sign()
  const { typed_data } = retrieved()
  const message = { ...typed_data?.message, from: signer.address }
  expect(authorized).toEqual([{ authorization: message, signature: expect.any(String) }])
  const { signature } = authorized[0] as { signature: `0x${string}` }
  const signed = { ...typed_data, message, signature }
  expect(await recoverTypedDataAddress(signed as never)).toBe(signer.address)
})

test.each<[string, Partial<ListedRefund>]>([
  ['to another destination than is recorded', { destination: other }],
  ['of another amount than is recorded', { amount_units: 1 }],
])('a refund %s is an error, and not signed', async (_, recorded) => {
  await expect(sign(recorded)).rejects.toThrow('Nothing was signed')
  expect(authorized).toEqual([])
})

test.each<[string, Partial<ListedRefund>, Partial<ListedRefund>?]>([
  ['whose destination is not recorded yet', { destination: null }],
  ['that is paid already', {}, { status: 'pending' }],
])('a refund %s is not signed', async (_, recorded, actual = {}) => {
  refund = retrieved({ ...aRefund, ...actual })
  await sign(recorded)
  expect(authorized).toEqual([])
})

test('an event that is delivered ten times, also to two processes, is signed for one transfer', async () => {
  const both = [await openShop(), await openShop()]
  const event = named()
  await Promise.all(
    Array.from({ length: 5 }, () => both.map(({ url }) => deliver(url, event))).flat(),
  )
  await expect.poll(() => authorized).not.toHaveLength(0)
  for (const { shop } of both) await shop.end('SIGTERM')
  // Both processes may sign at the same time. The token accepts the nonce once.
  const signed = authorized.map((body) => (body as { authorization: object }).authorization)
  for (const authorization of signed) expect(authorization).toEqual(signed[0])
})

test('a refund that could not be signed is signed when the shop opens again', async () => {
  isAway = true
  const first = await openShop()
  await deliver(first.url)
  await first.shop.prints(/re_1 is not signed yet/)
  await first.shop.end('SIGKILL')
  isAway = false
  const { shop } = await openShop()
  await expect.poll(() => authorized).toHaveLength(1)
  await shop.end('SIGTERM')
  expect(first.shop.output() + shop.output()).not.toContain(key.slice(2))
})

test('a refund is signed once the buyer has named the destination, not when it is created', async () => {
  const { url, shop } = await openShop()
  const { destination: _, ...unnamed } = aRefund
  const created = { ...unnamed, status: 'requires_destination' as const, destination: null }
  refund = retrieved(created)
  await deliver(url, webhookEvent('refund.created', { sequence: 1, object: created }) as never)
  const claimed = { ...aRefund, status: 'requires_confirmation' as const }
  refund = retrieved(claimed)
  await deliver(url, webhookEvent('refund.updated', { sequence: 2, object: claimed }))
  expect(authorized).toEqual([])
  refund = retrieved()
  await deliver(url, webhookEvent('refund.updated', { sequence: 3, object: aRefund }))
  await expect.poll(() => authorized).toHaveLength(1)
  await shop.end('SIGTERM')
})

const fields = ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce']
const types = ['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes32']

/** How the service responds when a refund is retrieved. */
function retrieved(refund: ListedRefund = aRefund): Refund {
  const { chain_id: chainId, token_address: verifyingContract, destination, amount_units } = refund
  const isWaiting = refund.status === 'requires_signature'
  return {
    ...refund,
    links: { page: 'http://api.example/refund/#re_1_link_secret' },
    signable_until: isWaiting ? '2026-01-01T00:15:00.000Z' : null,
    typed_data:
      isWaiting && destination
        ? {
            domain: { name: 'USDC', version: '2', chainId, verifyingContract },
            types: {
              TransferWithAuthorization: fields.map((name, index) => ({
                ...{ name, type: types[index] ?? '' },
              })),
            },
            primaryType: 'TransferWithAuthorization',
            message: {
              ...{ to: destination, value: String(amount_units), validAfter: '0' },
              ...{ validBefore: '1767226500', nonce: refund.refund_reference },
            },
          }
        : null,
  }
}
