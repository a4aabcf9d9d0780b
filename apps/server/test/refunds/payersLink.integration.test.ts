import { inspect } from 'node:util'
import type { DevAccount } from '@payment-intents/testing'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { refundingOfTest } from '../support/server/refunding.ts'
import type { Json } from '../support/server/testServer.ts'

const refunding = refundingOfTest()
const { reader, chain, paid, refund, read, signedBy, authorize, eventsOfRefund, send } = refunding

/** Code whose `isValidSignature` accepts every signature (EIP-1271). */
const takesAll = `0x7f1626ba7e${'00'.repeat(28)}5f5260205ff3`
/** Code that never ends. */
const runsForever = '0x5b5f56'

async function unnamed(body: object = {}): Promise<Json> {
  const intent = await paid()
  return refund(intent, { destination: undefined, ...body })
}

const tokenOf = ({ links }: Json): string => links.page.split('#')[1]

async function page(path: 'resolve' | 'destination', body: object): Promise<Json> {
  const response = await reader.server.request(`/v1/refunds/${path}`, {
    method: 'POST',
    // A page sends this type to avoid a preflight.
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

/** Signs the message by which an account names itself as the destination. */
async function proofOf(refunded: Json, { address, privateKey }: DevAccount): Promise<Json> {
  const token = tokenOf(refunded)
  const { body } = await page('resolve', { token, account: address })
  const message = body.message_to_sign
  const signature = await privateKeyToAccount(privateKey).signMessage({ message })
  return { token, destination: address, message, signature }
}

describe('the payer names the destination by the link', () => {
  test('a payer who signs is paid without a confirmation', async () => {
    const created = await unnamed()
    expect(created).toMatchObject({ status: 'requires_destination', destination: null })
    expect(created.links.page).toMatch(/^http.*\/refund\/#re_\w+_link_\w{43}$/)
    const { payer } = refunding
    const proof = await proofOf(created, payer)
    expect(proof.message.replace(/[\da-f]{32}|\d{4}-\S+Z/g, '…')).toBe(
      [
        `${new URL(created.links.page).host} wants you to sign in with your Ethereum account:`,
        ...[payer.address, '', 'Send my refund of 25.00 USDC to this account.', ''],
        `URI: ${created.links.page.split('#')[0]}`,
        ...['Version: 1', 'Chain ID: 84532', 'Nonce: …', 'Issued At: …', 'Expiration Time: …'],
        `Request ID: ${created.id}`,
      ].join('\n'),
    )
    const named = await page('destination', proof)
    const proven = { destination: payer.address, destination_proof: 'payer_signature' }
    expect(named).toMatchObject({
      status: 200,
      body: { status: 'requires_signature', can_name_destination: false, ...proven },
    })
    expect(named.body).toMatchObject({ id: created.id, amount_units: 25_000_000, tx_hash: null })
    // The client may send it again if the response was lost.
    expect(await page('destination', proof)).toEqual(named)
    const shown = await read(created)
    expect(shown).toMatchObject({ status: 'requires_signature', ...proven })
    expect(await authorize(created, await signedBy(shown))).toMatchObject({ status: 'pending' })
    expect(await eventsOfRefund(created)).toEqual(['created', 'updated', 'pending'])
    // The link can no longer name a destination, but still shows the refund.
    const late = { token: tokenOf(created), destination: refunding.other.address }
    expect(await page('destination', late)).toMatchObject({
      ...{ status: 409, body: { error: 'conflict', reason: 'refund_in_flight' } },
    })
    expect(await page('resolve', { token: tokenOf(created) })).toMatchObject({
      body: { status: 'pending', destination: payer.address, message_to_sign: null },
    })
  })

  test('any other destination waits for the merchant, who confirms the displayed destination', async () => {
    const created = await unnamed()
    const token = tokenOf(created)
    const [firstAddress, secondAddress] = [refunding.other.address, chain.accounts[3]?.address]
    expect(await page('destination', { token, destination: firstAddress })).toMatchObject({
      body: { status: 'requires_confirmation', destination_proof: 'payer_claim' },
    })
    const path = `/v1/refunds/${created.id}`
    const shown = await read(created)
    expect(shown).toMatchObject({ status: 'requires_confirmation', typed_data: null })
    // Somebody with the link names another destination before the merchant confirms.
    await page('destination', { token, destination: secondAddress })
    const confirming = { destination: shown.destination }
    expect(await send(`${path}/confirm`, confirming, 409)).toMatchObject({
      ...{ error: 'conflict', reason: 'illegal_state' },
    })
    const attach = { tx_hash: `0x${'ab'.repeat(32)}` }
    expect(await send(`${path}/attach`, attach, 409)).toMatchObject({ error: 'conflict' })
    const confirmed = await send(`${path}/confirm`, { destination: secondAddress })
    expect(confirmed).toMatchObject({
      ...{
        status: 'requires_signature',
        destination: secondAddress,
        destination_proof: 'payer_claim',
      },
      typed_data: { message: { to: secondAddress } },
    })
    expect(await send(`${path}/confirm`, { destination: secondAddress })).toMatchObject({
      status: 'requires_signature',
    })
    expect(await page('destination', { token, destination: firstAddress })).toMatchObject({
      status: 409,
    })
    expect(await eventsOfRefund(created)).toEqual(['created', 'updated', 'updated', 'updated'])
  })

  test('the merchant may replace a claim, confirm it by naming it, or cancel', async () => {
    const { other } = refunding
    for (const [method, body, expected] of [
      ['PATCH', { destination: other.address }, { status: 'requires_signature' }],
      ['PATCH', { destination: refunding.payer.address }, { status: 'requires_signature' }],
      ['POST', undefined, { status: 'canceled', destination: other.address }],
    ] as const) {
      const created = await unnamed()
      await page('destination', { token: tokenOf(created), destination: other.address })
      const path = `/v1/refunds/${created.id}${method === 'POST' ? '/cancel' : ''}`
      const response = await refunding.api.send(method, path, body)
      expect(await response.json()).toMatchObject({ ...expected, ...body })
      const destination = chain.accounts[3]?.address
      expect(await page('destination', { token: tokenOf(created), destination })).toMatchObject({
        ...{ status: 409, body: { reason: 'illegal_state' } },
      })
    }
  })
})

describe('a signature proves nothing', () => {
  const claimed = { status: 200, body: { status: 'requires_confirmation' } }
  const invalid = { status: 400, body: { error: 'invalid_body', reason: 'signature_invalid' } }

  test('of an account that paid less than the refund, or was already paid back', async () => {
    const intent = await paid()
    // Somebody who has read the reference pays a small amount with it.
    const attacker = await refunding.funded(20_000)
    await chain.pay({
      ...{ from: chain.accounts[4]?.address ?? '0x', to: attacker.address, amount: 1n },
    })
    await chain.rpc('anvil_setBalance', [attacker.address, '0xde0b6b3a7640000'])
    await chain.rpc('anvil_impersonateAccount', [attacker.address])
    await chain.pay({
      ...{ from: attacker.address, to: intent.expected_wallet, amount: 10_000n },
      reference: intent.payment_reference,
    })
    await reader.settle()
    const all = { destination: undefined, amount_units: 10_001 }
    const larger = await refund(intent, all)
    expect(await page('destination', await proofOf(larger, attacker))).toMatchObject(claimed)
    // Their own payment is proven, but only once.
    const same = await refund(intent, { ...all, amount_units: 10_000 })
    expect(await page('destination', await proofOf(same, attacker))).toMatchObject(claimed)
    await send(`/v1/refunds/${larger.id}/cancel`, {})
    const covered = await refund(intent, { ...all, amount_units: 10_000 })
    await send(`/v1/refunds/${same.id}/cancel`, {})
    expect(await page('destination', await proofOf(covered, attacker))).toMatchObject({
      body: { status: 'requires_signature', destination_proof: 'payer_signature' },
    })
    const uncovered = await refund(intent, { ...all, amount_units: 10_000 })
    expect(await page('destination', await proofOf(uncovered, attacker))).toMatchObject(claimed)
  })

  test('of another account, message, refund or time', async () => {
    const created = await unnamed()
    const { payer, other } = refunding
    const proof = await proofOf(created, payer)
    const { signature } = await proofOf(created, other)
    expect(await page('destination', { ...proof, signature })).toMatchObject(invalid)
    const altered = proof.message.replace('25.00', '26.00')
    const account = privateKeyToAccount(payer.privateKey)
    const signedAnew = await account.signMessage({ message: altered })
    const forged = { ...proof, message: altered, signature: signedAnew }
    expect(await page('destination', forged)).toMatchObject(invalid)
    const elsewhere = await unnamed()
    const moved = { ...proof, token: tokenOf(elsewhere) }
    expect(await page('destination', moved)).toMatchObject(invalid)
    expect(await page('destination', { ...proof, message: undefined })).toMatchObject({
      status: 400,
    })
    // A change in between uses up the message.
    await page('destination', { token: proof.token, destination: other.address })
    expect(await page('destination', proof)).toMatchObject(invalid)
    expect(await page('destination', await proofOf(created, payer))).toMatchObject({ status: 200 })
  })

  test('of a contract whose code does not accept it, but it does if the code accepts it', async () => {
    const account = await refunding.funded(25_000_000)
    const intent = await reader.create({ wallet_address: refunding.shop.address })
    await chain.rpc('anvil_impersonateAccount', [account.address])
    await chain.rpc('anvil_setBalance', [account.address, '0xde0b6b3a7640000'])
    await chain.pay({
      ...{ from: account.address, to: intent.expected_wallet, amount: 25_000_000n },
      reference: intent.payment_reference,
    })
    await reader.settle()
    const created = await refund(intent, { destination: undefined })
    const proof = await proofOf(created, account)
    const signature = `0x${'12'.repeat(100)}`
    const send = () => page('destination', { ...proof, signature })
    expect(await send()).toMatchObject(invalid)
    // A node does not tell that the code itself is at fault.
    await chain.rpc('anvil_setCode', [account.address, runsForever])
    expect(await send()).toMatchObject({ status: 503 })
    await chain.rpc('anvil_setCode', [account.address, '0x5f5ffd'])
    expect(await send()).toMatchObject(invalid)
    await chain.rpc('anvil_setCode', [account.address, takesAll])
    expect(await send()).toMatchObject({
      ...{ status: 200, body: { destination_proof: 'payer_signature' } },
    })
  })
})

describe('the link', () => {
  test('opens one refund, names no wallet of the merchant, and ends after 20 changes', async () => {
    const created = await unnamed()
    const token = tokenOf(created)
    for (const invalid of [
      `${token.slice(0, -1)}_`,
      're_1',
      created.id,
      token.replace('re_', 'pi_'),
    ]) {
      expect(await page('resolve', { token: invalid })).toMatchObject({
        ...{ status: 404, body: { error: 'not_found' } },
      })
    }
    for (const destination of [
      ...['0x0000000000000000000000000000000000000000', chain.token, refunding.shop.address],
      refunding.payer.address.toLowerCase().replace('c', 'C'),
    ]) {
      expect(await page('destination', { token, destination })).toMatchObject({
        ...{ status: 400, body: { error: 'wallet_invalid' } },
      })
    }
    const [a, b] = [refunding.other.address, refunding.payer.address]
    for (let change = 0; change < 19; change += 1) {
      const destination = change % 2 === 0 ? a : b
      expect(await page('destination', { token, destination })).toMatchObject({ status: 200 })
    }
    expect(await page('destination', { token, destination: b })).toMatchObject({ status: 409 })
    expect(await page('resolve', { token })).toMatchObject({
      body: { can_name_destination: false, destination: a },
    })
    expect(await send(`/v1/refunds/${created.id}/confirm`, { destination: a })).toMatchObject({
      status: 'requires_signature',
    })
  })

  test('is in no event, and no list', async () => {
    const created = await unnamed()
    const { rows } = await reader.db.pool.query('select * from events where refund_id = $1', [
      created.id,
    ])
    const listed = await refunding.api.read('/v1/refunds')
    const stored = await reader.db.pool.query('select * from idempotency_keys')
    expect(inspect([rows, listed, stored.rows], { depth: 9 })).not.toContain('_link_')
  })
})
