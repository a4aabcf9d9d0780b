import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { accountEndpoints } from '../../src/account/accountEndpoints.ts'
import { createTestDb, type TestDb } from '../support/database/testDb.ts'
import { type DashboardClient, dashboardUrl, signIn } from '../support/server/dashboardClient.ts'
import {
  createTestMerchant,
  randomWallet,
  startTestServer,
  type TestServer,
} from '../support/server/testServer.ts'

let db: TestDb
let server: TestServer
let merchantId: string
let client: DashboardClient & { personId: string }

beforeAll(async () => {
  db = await createTestDb()
  server = await startTestServer({ db, dashboard: { url: dashboardUrl, now: Date.now } })
  return async () => {
    await server.close()
    await db.close()
  }
})

beforeEach(async () => {
  merchantId = (await createTestMerchant(db, { wallet: randomWallet() })).id
  client = await signIn(server, merchantId)
  await db.pool.query('delete from mails')
})

async function mails() {
  const { rows } = await db.pool.query<{ recipient: string; subject: string; text: string }>(
    'select recipient, subject, text from mails order by recipient',
  )
  return rows
}

const named = (id: string, name: string, email: string | null) =>
  db.pool.query('update people set name = $2, email = $3 where id = $1', [id, name, email])

test('every owner gets a mail about each change of the account and its actor, without a secret', async () => {
  const otherClient = await signIn(server, merchantId)
  await signIn(server, merchantId, 'support')
  await named(client.personId, 'Ada\r\nBcc: all@evil.example', 'ada@shop.example')
  await named(otherClient.personId, 'Bob', 'bob@shop.example')
  const { key } = await client.read('POST', '/account/api_keys', { mode: 'testnet' })
  const sentMails = await mails()
  expect(sentMails.map(({ recipient }) => recipient)).toEqual([
    'ada@shop.example',
    'bob@shop.example',
  ])
  for (const { subject, text } of sentMails) {
    expect(subject).toBe('Ada Bcc: all@evil.example created an API key')
    expect(text).toContain(`${dashboardUrl}/settings/people`)
    expect(text).not.toContain(key)
  }
})

test('a refused change sends no mail', async () => {
  await named(client.personId, 'Ada', 'ada@shop.example')
  const refused = await client.send('DELETE', '/account/api_keys/key_none')
  expect(refused.status).toBe(404)
  expect(await mails()).toEqual([])
})

test('every change of account access has a notice', () => {
  const silent = Object.entries(accountEndpoints).filter(
    ([, { needsProof, isUnlogged, notice }]) => needsProof && !isUnlogged && !notice,
  )
  expect(silent).toEqual([])
})

test('an invitation goes to the address of the person, and its link signs them in', async () => {
  const body = { name: 'Cy', email: 'cy@shop.example', role: 'support' }
  const { invitation_url: url } = await client.read('POST', '/account/people', body)
  const [mail] = (await mails()).filter(({ recipient }) => recipient === 'cy@shop.example')
  expect(mail?.text).toContain(url)
  const bad = { ...body, email: 'cy@shop.example\r\nBcc: all@evil.example' }
  expect((await client.send('POST', '/account/people', bad)).status).toBe(400)
})

test('wallets are set, allowed, proved by a signature, and listed', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const address = account.address.toLowerCase()
  const set = { mode: 'testnet', chain: 'base', address: account.address }
  expect(await client.read('POST', '/account/wallets', set)).toEqual({
    address,
    is_outranked: false,
  })
  const { message } = await client.read('POST', '/account/wallet_proofs/message', {
    ...{ mode: 'testnet', address },
  })
  expect(message).toContain('desk.example')
  const signature = await account.signMessage({ message })
  const proof = { address, message, signature }
  expect(await client.read('POST', '/account/wallet_proofs', proof)).toEqual({
    ...{ address, chain_id: null, other_merchants: 0 },
  })
  expect((await client.send('POST', '/account/wallet_proofs', proof)).status).toBe(400)
  const recipient = randomWallet()
  await client.read('POST', '/account/allowed_recipients', { address: recipient })
  await client.read('POST', '/account/refund_wallets', { address: recipient })
  expect(await client.read('GET', '/account/wallets')).toEqual({
    wallets: [{ chain: 'base', address, match_plain_price: false }],
    ...{ allowed_recipients: [recipient], refund_wallets: [recipient] },
    proven: [{ address, chain_id: null }],
  })
  await client.read('DELETE', `/account/refund_wallets/${recipient}`)
  expect(await client.read('DELETE', `/account/allowed_recipients/${recipient}`)).toEqual({
    ...{ address: recipient, remaining: 0 },
  })
  expect((await client.send('DELETE', '/account/refund_wallets/nonsense')).status).toBe(404)
})

test('the withdrawal of a proof is in the audit log, and every owner gets a mail', async () => {
  await named(client.personId, 'Ada', 'ada@shop.example')
  const account = privateKeyToAccount(generatePrivateKey())
  const address = account.address.toLowerCase()
  const { message } = await client.read('POST', '/account/wallet_proofs/message', {
    ...{ mode: 'testnet', address },
  })
  const signature = await account.signMessage({ message })
  await client.read('POST', '/account/wallet_proofs', { address, message, signature })
  await db.pool.query('delete from mails')

  const path = `/account/wallet_proofs/${account.address}`
  const stranger = await signIn(server, (await createTestMerchant(db)).id)
  expect((await stranger.send('DELETE', path)).status).toBe(404)
  expect(await client.read('DELETE', path)).toEqual({ address })
  expect(await client.read('GET', '/account/wallets')).toMatchObject({ proven: [] })
  expect((await client.send('DELETE', path)).status).toBe(404)
  expect(await mails()).toMatchObject([
    { recipient: 'ada@shop.example', subject: 'Ada withdrew the proof of a wallet' },
  ])
  const { data } = await client.read('GET', '/account/audit_log')
  expect(
    data.filter(({ action }: { action: string }) => action === 'withdrawWalletProof'),
  ).toMatchObject([
    { person: { name: 'Ada' }, outcome: 'not_found' },
    { person: { name: 'Ada' }, outcome: 'done', subject: account.address },
  ])
})

test('a program’s next request sees a change even before its notification arrives', async () => {
  const { key } = await client.read('POST', '/account/api_keys', { mode: 'testnet' })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const call = (method: string, path: string, body: object) =>
    server.request(path, { method, headers, body: JSON.stringify(body) })
  const create = async () =>
    (await call('POST', '/v1/payment_intents', { amount_units: 1_000_000 })).json()
  expect(await create()).toMatchObject({ chain: 'base' })
  const triggers = ['merchants', 'merchant_wallets']
  for (const table of triggers)
    await db.pool.query(`alter table ${table} disable trigger keys_changed`)
  try {
    await call('PATCH', '/v1/settings', { default_chain: 'polygon' })
    expect(await create()).toMatchObject({ error: 'wallet_invalid' })
    const address = randomWallet()
    await client.read('POST', '/account/wallets', { mode: 'testnet', chain: 'polygon', address })
    expect(await create()).toMatchObject({ chain: 'polygon' })
  } finally {
    for (const table of triggers)
      await db.pool.query(`alter table ${table} enable trigger keys_changed`)
  }
})

test('another merchant’s wallet is not accepted without its key', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const { message } = await client.read('POST', '/account/wallet_proofs/message', {
    ...{ mode: 'testnet', address: account.address },
  })
  const signature = await account.signMessage({ message })
  const proof = { address: account.address, message, signature }
  await client.read('POST', '/account/wallet_proofs', proof)
  const stranger = await signIn(server, (await createTestMerchant(db)).id)
  const set = { mode: 'testnet', chain: 'base', address: account.address }
  const refused = await stranger.send('POST', '/account/wallets', set)
  expect([refused.status, (await refused.json()).error]).toEqual([400, 'wallet_invalid'])
})
