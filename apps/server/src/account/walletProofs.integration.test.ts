import { type Chain, windows } from '@payment-intents/contract'
import { walletProofMessage } from '@payment-intents/core'
import { type Hex, hashMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import { readerOfTest } from '../../test/support/chain/readerOfTest.ts'
import { lock } from '../../test/support/database/locks.ts'
import { checkSignatureAt } from '../../test/support/server/authorizing.ts'
import { merchantApi } from '../../test/support/server/merchantApi.ts'
import {
  createTestMerchant,
  type Json,
  post,
  randomWallet,
} from '../../test/support/server/testServer.ts'
import { allowWallet, listWallets, setWallet, walletSchema } from './walletActions.ts'
import {
  finishWalletProof,
  finishWalletProofSchema,
  startWalletProof,
  withdrawWalletProof,
} from './walletProofActions.ts'

const { reader, chain } = readerOfTest()
const url = 'https://desk.example'
const hour = 60 * 60 * 1_000

type Shop = { id: string; apiKey: string }
/** `owner` holds the wallet's key, `squatter` does not. */
let owner: Shop
let squatter: Shop
let account: ReturnType<typeof privateKeyToAccount>

beforeEach(async () => {
  owner = await createTestMerchant(reader.db, { wallet: randomWallet() })
  squatter = await createTestMerchant(reader.db, { wallet: randomWallet() })
  account = privateKeyToAccount(generatePrivateKey())
})

const contextAt = (now = Date.now) => ({
  ...{ db: reader.db.pool, url, now },
  checkAccountSignature: checkSignatureAt(chain.url),
})

async function start(by: Shop, wallet: string, { now = Date.now, on = 'base' as Chain } = {}) {
  const { address } = walletSchema.parse({ address: wallet })
  const terms = { mode: 'testnet', address, chain: on } as const
  return (await startWalletProof(contextAt(now), { merchantId: by.id }, terms)).message
}

function finish(by: Shop, wallet: string, message: string, signature: Hex, now = Date.now) {
  const body = finishWalletProofSchema.parse({ address: wallet, message, signature })
  return finishWalletProof(contextAt(now), { merchantId: by.id }, body)
}

async function proveWallet(by: Shop, signer = account) {
  const message = await start(by, signer.address)
  return finish(by, signer.address, message, await signer.signMessage({ message }))
}

async function create(by: Shop, body: object): Promise<Json> {
  const headers = { authorization: `Bearer ${by.apiKey}` }
  const sent = { amount_units: 25_000_000, ...body }
  const response = await post(reader.server, '/v1/payment_intents', sent, headers)
  return response.json()
}

const refused = (reason: string) => ({ type: 'refused', reason, message: expect.any(String) })
const created = { status: 'requires_payment' }
const notTheirs = { error: 'wallet_invalid' }

async function setAs(by: 'operator' | 'owner', shop: Shop, wallet: string) {
  const { address } = walletSchema.parse({ address: wallet })
  const params = { mode: 'testnet', chain: 'base', address } as const
  return setWallet(reader.db.pool, { merchantId: shop.id, by }, params)
}

test('a wallet that a stranger named first belongs to its owner once they sign, with its transfers', async () => {
  const wallet_address = account.address
  const squatted = await create(squatter, { wallet_address })
  expect(await create(owner, { wallet_address })).toMatchObject(notTheirs)
  expect(await setAs('owner', owner, wallet_address)).toMatchObject({ type: 'needs_proof' })

  expect(await proveWallet(owner)).toEqual({ type: 'proven', chainId: null, others: 0 })
  expect(await create(squatter, { wallet_address })).toMatchObject(notTheirs)
  const { address } = walletSchema.parse({ address: wallet_address })
  const bySquatter = { merchantId: squatter.id, by: 'owner' } as const
  expect(await allowWallet(reader.db.pool, bySquatter, { address })).toMatchObject({
    type: 'needs_proof',
  })
  expect(await setAs('owner', owner, wallet_address)).toMatchObject({ isOutranked: false })
  const { proven } = (await listWallets(reader.db.pool, owner.id)) ?? {}
  expect(proven).toEqual([{ address, chainId: null }])

  // Open payments continue. Transfers without an intent belong to the owner.
  await reader.pay(squatted, 'reference', 25_000_000)
  await chain.pay({ from: reader.payer, to: address, amount: 7_000_000n })
  await reader.settle()
  expect(await reader.resolved(squatted)).toMatchObject({ status: 'succeeded' })
  const { rows } = await reader.db.pool.query(
    `select e.merchant_id, t.amount_units from events e join transfers t on t.id = e.transfer_id
     where e.type = 'transfer.unmatched'`,
  )
  expect(rows).toEqual([{ merchant_id: owner.id, amount_units: 7_000_000n }])
  expect(await create(owner, { wallet_address })).toMatchObject(created)
})

test('a merchant who lists a wallet that another has proven may use it again once they also sign', async () => {
  await setAs('operator', squatter, account.address)
  expect(await create(squatter, {})).toMatchObject(created)
  const headers = { authorization: `Bearer ${squatter.apiKey}` }
  const terms = { amount_units: 25_000_000, description: 'A chair' }
  const link = await post(reader.server, '/v1/payment_links', terms, headers)
  const { id } = await link.json()
  const payLink = async () => {
    const linkVisit = { id, chain: 'base', visitor: randomWallet() }
    return (await post(reader.server, '/v1/payment_links/pay', linkVisit)).json()
  }
  expect(await payLink()).toMatchObject({ payment_intent: expect.any(String) })

  expect(await proveWallet(owner)).toMatchObject({ others: 1 })
  expect(await payLink()).toMatchObject({ reason: 'payment_link_closed' })
  // Also if the request names no wallet, and if the list of allowed recipients has the wallet.
  const refusal = await create(squatter, {})
  expect(refusal).toMatchObject(notTheirs)
  expect(refusal.message).toContain('Prove it, too')
  expect(await create(squatter, { wallet_address: account.address })).toMatchObject(notTheirs)
  expect(await setAs('operator', squatter, account.address)).toMatchObject({ isOutranked: true })

  expect(await proveWallet(squatter)).toMatchObject({ type: 'proven', others: 0 })
  for (const shop of [squatter, owner]) {
    expect(await create(shop, { wallet_address: account.address })).toMatchObject(created)
  }
  expect(await create(squatter, {})).toMatchObject(created)
})

test('a payment link offers no network whose wallet another merchant has proven, and says so', async () => {
  await setAs('operator', squatter, account.address)
  await setWallet(
    reader.db.pool,
    { merchantId: squatter.id, by: 'operator' },
    {
      mode: 'testnet',
      chain: 'polygon',
      address: walletSchema.parse({ address: randomWallet() }).address,
    },
  )
  const api = merchantApi(reader.server, squatter.apiKey)
  const terms = { amount_units: 25_000_000, description: 'A chair' }
  const createLink = async (more = {}) =>
    (await api.post('/v1/payment_links', { ...terms, ...more })).json()
  const link: Json = await createLink()
  expect(link.outranked_chains).toEqual([])
  const offered = async ({ id }: Json) => {
    const resolved = await post(reader.server, '/v1/payment_links/resolve', { id })
    const { status, networks } = await resolved.json()
    return [status, ...networks.map(({ chain }: Json) => chain)]
  }
  expect(await offered(link)).toEqual(['open', 'base', 'polygon'])

  await proveWallet(owner)
  expect(await offered(link)).toEqual(['open', 'polygon'])
  const outranked = { chains: ['base', 'polygon'], outranked_chains: ['base'] }
  expect(await api.read(`/v1/payment_links/${link.id}`)).toMatchObject(outranked)
  expect((await api.read('/v1/payment_links')).data).toMatchObject([outranked])
  expect(await createLink()).toMatchObject(outranked)
  const changed = await api.send('PATCH', `/v1/payment_links/${link.id}`, {
    description: 'A table',
  })
  expect(await changed.json()).toMatchObject(outranked)
  // A link loses only these chains. A link without another chain cannot be paid.
  expect(await createLink({ chains: ['polygon'] })).toMatchObject({ outranked_chains: [] })
  expect(await offered(await createLink({ chains: ['base'] }))).toEqual(['inactive'])
  const linkVisit = { id: link.id, chain: 'base', visitor: randomWallet() }
  const paid = await post(reader.server, '/v1/payment_links/pay', linkVisit)
  expect(await paid.json()).toMatchObject({ error: 'invalid_body' })
  await proveWallet(squatter)
  expect(await offered(link)).toEqual(['open', 'base', 'polygon'])
  expect(await api.read(`/v1/payment_links/${link.id}`)).toMatchObject({ outranked_chains: [] })
})

test('a withdrawn proof no longer counts, nor does an earlier signed message', async () => {
  await setAs('operator', squatter, account.address)
  const { address } = walletSchema.parse({ address: account.address })
  const withdraw = (by: Shop) => withdrawWalletProof(reader.db.pool, { merchantId: by.id, address })
  await proveWallet(owner)
  const message = await start(owner, address)
  expect(await withdraw(squatter)).toEqual({ type: 'not_proven' })
  expect(await create(squatter, {})).toMatchObject(notTheirs)

  expect(await withdraw(owner)).toEqual({ type: 'withdrawn' })
  expect(await withdraw(owner)).toEqual({ type: 'not_proven' })
  expect(await create(squatter, {})).toMatchObject(created)
  expect(await create(owner, { wallet_address: address })).toMatchObject(notTheirs)
  const signature = await account.signMessage({ message })
  expect(await finish(owner, address, message, signature)).toEqual(refused('nonce_used'))
  expect(await proveWallet(owner)).toMatchObject({ type: 'proven' })
})

test('a merchant cannot list another merchant’s address; the operator can', async () => {
  const wallet = randomWallet()
  await create(owner, { wallet_address: wallet })
  expect(await setAs('owner', squatter, wallet)).toEqual({ type: 'needs_proof', address: wallet })
  expect(await create(owner, { wallet_address: wallet })).toMatchObject(created)
  expect(await setAs('operator', squatter, wallet)).toMatchObject({ isOutranked: false })
  expect(await create(owner, { wallet_address: wallet })).toMatchObject(notTheirs)
})

describe('a message is valid once', () => {
  test('for its merchant, service and wallet', async () => {
    const message = await start(owner, account.address)
    const signature = await account.signMessage({ message })
    const sent = () => finish(owner, account.address, message, signature)
    const byOther = await finish(squatter, account.address, message, signature)
    expect(byOther).toEqual(refused('wrong_merchant'))
    expect(await finish(owner, randomWallet(), message, signature)).toEqual(
      refused('wrong_address'),
    )
    const altered = message.replaceAll('desk.example', 'desk.evil')
    const elsewhere = await account.signMessage({ message: altered })
    expect(await finish(owner, account.address, altered, elsewhere)).toEqual(
      refused('wrong_domain'),
    )
    // Refusals do not use up the message. Of five concurrent requests, one succeeds.
    const finished = await Promise.all(Array.from({ length: 5 }, sent))
    const types = finished.map(({ type }) => type).sort()
    expect(types).toEqual(['proven', 'refused', 'refused', 'refused', 'refused'])
    expect(await sent()).toEqual(refused('nonce_used'))
    // A new message proves the wallet again.
    expect(await proveWallet(owner)).toMatchObject({ type: 'proven' })
  })

  test('with the nonce and the expiry that it names', async () => {
    const of = (shop: Shop) => ({
      ...{ url, merchantId: shop.id },
      address: walletSchema.parse({ address: account.address }).address,
    })
    const nonceIn = (message: string) => /Nonce: (\w+)/.exec(message)?.[1] ?? ''
    const send = async (message: string, now = Date.now) =>
      finish(squatter, account.address, message, await account.signMessage({ message }), now)

    const theirs = nonceIn(await start(owner, account.address))
    const stolen = { chainId: 84532, nonce: theirs, issuedAt: Date.now() - 1 }
    expect(await send(walletProofMessage(of(squatter), stolen))).toEqual(refused('nonce_used'))
    const request = await start(squatter, account.address)
    const later = Date.now() + windows.walletProof * 1_000
    expect(await send(request, () => later)).toEqual(refused('expired'))
    const prolonged = { chainId: 84532, nonce: nonceIn(request), issuedAt: later }
    const message = walletProofMessage(of(squatter), prolonged)
    expect(await send(message, () => later + 1)).toEqual(refused('nonce_used'))
    const moved = { ...prolonged, chainId: 80002, issuedAt: Date.now() }
    expect(await send(walletProofMessage(of(squatter), moved))).toEqual(refused('nonce_used'))
    expect(await send(request)).toMatchObject({ type: 'proven' })
  })

  test('until the twentieth newer message replaces it', async () => {
    const firstMessage = await start(owner, account.address, { now: () => Date.now() - hour / 60 })
    const secondMessage = await start(owner, account.address)
    for (let made = 0; made < 19; made += 1) await start(owner, randomWallet())
    const sign = (message: string) => account.signMessage({ message })
    expect(await finish(owner, account.address, firstMessage, await sign(firstMessage))).toEqual(
      refused('nonce_used'),
    )
    expect(
      await finish(owner, account.address, secondMessage, await sign(secondMessage)),
    ).toMatchObject({
      type: 'proven',
    })
  })
})

describe('the code of a contract (EIP-1271)', () => {
  /** Code that accepts any signature of one hash, and reverts for others. */
  const accepting = (hash: Hex) =>
    `0x7f${hash.slice(2)}60043514602b575f5ffd5b7f1626ba7e${'00'.repeat(28)}5f5260205ff3`
  const runsForever = '0x5b5f56'
  const signature: Hex = `0x${'12'.repeat(100)}`

  test('proves the wallet on its own chain alone', async () => {
    const wallet = randomWallet()
    await create(squatter, { wallet_address: wallet })
    await create(squatter, { wallet_address: wallet, chain: 'polygon' })
    const message = await start(owner, wallet)
    const send = () => finish(owner, wallet, message, signature)
    expect(await send()).toEqual(refused('signature_invalid'))
    await chain.rpc('anvil_setCode', [wallet, runsForever])
    expect(await send()).toEqual({ type: 'unavailable' })
    await chain.rpc('anvil_setCode', [wallet, accepting(hashMessage(`${message} `))])
    expect(await send()).toEqual(refused('signature_invalid'))
    await chain.rpc('anvil_setCode', [wallet, accepting(hashMessage(message))])
    expect(await send()).toEqual({ type: 'proven', chainId: 84532, others: 0 })

    expect(await create(owner, { wallet_address: wallet })).toMatchObject(created)
    expect(await create(squatter, { wallet_address: wallet })).toMatchObject(notTheirs)
    const onPolygon = { wallet_address: wallet, chain: 'polygon' }
    expect(await create(owner, onPolygon)).toMatchObject(notTheirs)
    expect(await create(squatter, onPolygon)).toMatchObject(created)
  })

  test('is not called on a chain that the server does not follow', async () => {
    const wallet = randomWallet()
    const message = await start(owner, wallet, { on: 'polygon' })
    const body = finishWalletProofSchema.parse({ address: wallet, message, signature })
    const context = { ...contextAt(), checkAccountSignature: async () => null }
    expect(await finishWalletProof(context, { merchantId: owner.id }, body)).toEqual({
      type: 'unavailable',
    })
  })
})

describe('during creations', () => {
  test('a proof that is being written delays no creation, and applies to later creations', async () => {
    const wallet_address = account.address.toLowerCase()
    await create(squatter, { wallet_address })
    const rollback = await lock(
      reader.db,
      `insert into wallet_proofs (merchant_id, address, nonce_hash, proved_at) values ($1, $2, '', now())`,
      [owner.id, wallet_address],
    )
    expect(await create(squatter, { wallet_address })).toMatchObject(created)
    await rollback()
    expect(await create(owner, { wallet_address })).toMatchObject(notTheirs)
    expect(await proveWallet(owner)).toMatchObject({ type: 'proven' })
    expect(await create(squatter, { wallet_address })).toMatchObject(notTheirs)
  })

  test('a concurrent request is accepted or refused as before or after the proof', async () => {
    const wallet_address = account.address
    await create(squatter, { wallet_address })
    const [proof, ...responses] = await Promise.all([
      proveWallet(owner),
      ...Array.from({ length: 20 }, (_, n) => create(n % 2 ? owner : squatter, { wallet_address })),
    ])
    expect(proof).toMatchObject({ type: 'proven' })
    const outcomes = new Set(responses.map((response) => response.status ?? response.error))
    expect(['requires_payment', 'wallet_invalid']).toEqual(expect.arrayContaining([...outcomes]))
    expect(await create(owner, { wallet_address })).toMatchObject(created)
    expect(await create(squatter, { wallet_address })).toMatchObject(notTheirs)
  })
})
