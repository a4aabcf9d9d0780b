import { request } from 'node:http'
import { encodeX402, type X402Payment, type X402Required } from '@payment-intents/contract'
import type { SimulateTransfer } from '@payment-intents/core'
import type { DevAccount } from '@payment-intents/testing'
import { decodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type HeldTimers, holdTimers } from '../../../../../tests/support/holdTimers.ts'
import { isFull } from '../../../../../tests/support/tier.ts'
import { until } from '../../../../../tests/support/until.ts'
import { readerOfTest } from '../../../test/support/chain/readerOfTest.ts'
import { headerOf, x402Client } from '../../../test/support/server/x402Client.ts'
import { broadcast, inFlight, openRoute } from '../../../test/support/server/x402Route.ts'
import { connect } from '../../chain/rpc/rpcConnection.ts'
import { createSimulate } from '../../relayer/rpc/simulateAuthorization.ts'
import { refuseAuthorizations } from '../../store/relaying/refuseAuthorizations.ts'

let simulate: SimulateTransfer
const { reader, chain } = readerOfTest({
  gasless: { isConfigured: () => true, isOffered: () => true },
  simulateTransfer: (...signed) => simulate(...signed),
  resolveLimit: { max: 240, windowMs: 60_000 },
})
let payer: DevAccount

beforeEach(async () => {
  // Blocks are mined only when a test mines them.
  await chain.rpc('evm_setAutomine', [false])
  const connection = connect(chain.url)
  const providers = {
    choose: () => ({ host: connection.host }),
    checkHealth: async () => {},
    connections: [connection],
  }
  simulate = createSimulate({ providers: () => providers as never, log: { debug() {} } })
  payer = chain.accounts[1] as DevAccount
})

afterEach(() => chain.rpc('evm_setAutomine', [true]))

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** Copies the payment of a transaction in the mempool, for a 402 of the observer's own. */
async function copyOf(hash: Hex, { accepts: [accepted] }: X402Required): Promise<X402Payment> {
  const { input, blockNumber } = (await chain.rpc('eth_getTransactionByHash', [hash])) as {
    input: Hex
    blockNumber: Hex | null
  }
  if (blockNumber !== null) throw new Error('It is in a block already.')
  const { args } = decodeFunctionData({ abi, data: input })
  const [from, to, value, validAfter, validBefore, nonce, signature] = args
  const authorization = { from, to, value, validAfter, validBefore, nonce }
  return JSON.parse(
    JSON.stringify(
      { x402Version: 2, accepted, payload: { authorization, signature } },
      (_, part) => (typeof part === 'bigint' ? String(part) : part),
    ),
  )
}

/**
 * Sends a payment from another address of this machine.
 * @returns the status, and the reason of a refusal
 */
function sendFrom(localAddress: string, url: string, payment: unknown) {
  const headers = { 'payment-signature': encodeX402(payment as X402Payment) }
  return new Promise<{ status: number; error: string }>((resolve, reject) => {
    request(url, { localAddress, headers }, (response) => {
      response.resume()
      const required = String(response.headers['payment-required'] ?? '')
      const { error } = JSON.parse(Buffer.from(required, 'base64').toString() || '{}')
      resolve({ status: response.statusCode ?? 0, error })
    })
      .on('error', reject)
      .end()
  })
}

/** Sends a request again while its payment is on its way, as HTTP libraries below an x402 client may. */
async function retryingFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const sent = new Request(input, init)
  for (;;) {
    const response = await fetch(sent.clone())
    const isPending =
      response.headers.has('payment-response') &&
      headerOf(response, 'payment-response').errorReason === 'settlement_pending'
    if (!isPending) return response
  }
}

/** Lets 25 seconds pass for the request that waits. */
async function advanceTime(timers: HeldTimers): Promise<void> {
  await until(() => expect(timers.held().length).toBeGreaterThan(0))
  timers.runOut()
}

const nonceUsed = { status: 402, error: 'invalid_exact_evm_nonce_already_used' }

test.each(isFull ? [1, 3, 10] : [3])(
  'a payment that no block includes for more than a minute stays its buyer’s, even if observers copy it at %i moments',
  async (moments) => {
    const [route, twin] = [await openRoute(reader), await openRoute(reader)]
    const timers = holdTimers(20_000, 25_000)
    const buyer = await x402Client(payer, retryingFetch)
    const buying = buyer.fetch(route.url)
    const hash = await broadcast(reader)

    const observe = async () => {
      const copies = await Promise.all(
        [route, twin].map(async (at) => copyOf(hash, await at.unpaid())),
      )
      const responses = copies.map((copy, n) => sendFrom(`127.0.0.${n + 2}`, twin.url, copy))
      expect(await Promise.all(responses)).toEqual([nonceUsed, nonceUsed])
      return copies
    }
    const copies = []
    for (let moment = 0; moment < moments; moment += 1) {
      copies.push(...(await observe()))
      for (let times = 0; times < 3; times += 1) await advanceTime(timers)
    }
    copies.push(...(await observe()))
    const late = copies.map((copy, n) => sendFrom(`127.0.0.${n + 2}`, route.url, copy))
    await chain.mine(1)
    await reader.read()
    const bought = await buying
    expect([bought.status, await bought.json()]).toEqual([200, { sky: 'clear' }])
    expect(headerOf(bought, 'payment-response')).toMatchObject({ success: true, transaction: hash })
    for (const response of await Promise.all(late)) expect(response).toEqual(nonceUsed)
    const after = await Promise.all(copies.map((copy) => sendFrom('127.0.0.2', twin.url, copy)))
    expect(after).toEqual(copies.map(() => nonceUsed))
    expect([route.sold, twin.sold]).toEqual([
      { calls: 1, errors: [] },
      { calls: 0, errors: [] },
    ])
  },
)

test('a copy without the secret, or with a guessed secret, does not pay the 402', async () => {
  const route = await openRoute(reader)
  const payload = await (await x402Client(payer)).sign(await route.unpaid())
  const buying = route.buy(payload)
  const hash = await broadcast(reader)
  const copy = await copyOf(hash, await route.unpaid())
  for (const claim of [undefined, '', 'short', 7]) {
    const { extra } = copy.accepted
    const stripped = { ...copy, accepted: { ...copy.accepted, extra: { ...extra, claim } } }
    expect(await sendFrom('127.0.0.2', route.url, stripped)).toEqual({
      ...{ status: 402, error: 'invalid_payment_requirements' },
    })
  }
  await chain.mine(1)
  await reader.read()
  expect((await buying).status).toBe(200)
})

test('a flood of copies does not use up the requests of the buyer’s payment', async () => {
  const route = await openRoute(reader)
  const payload = await (await x402Client(payer)).sign(await route.unpaid())
  const buying = route.buy(payload)
  const hash = await broadcast(reader)
  const copy = await copyOf(hash, await route.unpaid())
  for (let sent = 0; sent < 250; sent += 1) {
    const extra = { ...copy.accepted.extra, claim: crypto.randomUUID() }
    const forged = { ...copy, accepted: { ...copy.accepted, extra } }
    expect(await sendFrom(`127.0.0.${2 + (sent % 20)}`, route.url, forged)).toEqual(nonceUsed)
  }
  const secondPurchase = route.buy(payload)
  await chain.mine(1)
  await reader.read()
  const statuses = [(await buying).status, (await secondPurchase).status]
  expect(statuses.sort()).toEqual([200, 402])
  expect(route.sold).toEqual({ calls: 1, errors: [] })
})

test('a buyer who disconnects before the payment is in a block gets the goods with a later request', async () => {
  const route = await openRoute(reader)
  const payload = await (await x402Client(payer)).sign(await route.unpaid())
  const timers = holdTimers(20_000, 40_000)
  const connection = new AbortController()
  const lost = route.buy(payload, { signal: connection.signal })
  await broadcast(reader)
  // The seller waits for the service, which waits for the chain.
  await until(() => expect(timers.held()).toHaveLength(2))
  connection.abort()
  await expect(lost).rejects.toThrow()
  await until(() => expect(timers.held()).toHaveLength(0))
  const secondPurchase = route.buy(payload)
  await chain.mine(1)
  await reader.read()
  expect((await secondPurchase).status).toBe(200)
  expect(route.sold).toEqual({ calls: 1, errors: [] })
})

/** Creates an intent, and uses its link like a seller whose 402 had this secret. */
async function linkOf(secret?: string) {
  const intent = await reader.create({ amount_units: 10_000 })
  const url = reader.server.url + new URL(intent.links.x402).pathname
  const payload = await (await x402Client(payer)).sign(
    headerOf(await fetch(url), 'payment-required'),
  )
  return (sellerRequest: string, claim = secret): Promise<Response> => {
    const { accepted } = payload
    const paid = {
      ...payload,
      accepted: { ...accepted, extra: { ...Object(accepted.extra), claim } },
    }
    return fetch(url, {
      headers: {
        'payment-signature': encodeX402(paid as unknown as X402Payment),
        'payment-claim': sellerRequest,
      },
    })
  }
}

test('a payment that was broadcast and given up stays its buyer’s, no matter who submits it again', async () => {
  const send = await linkOf('secret-of-the-buyer-0001')
  const buying = send('request-1')
  const { id } = await inFlight(reader)
  const hash = await broadcast(reader)
  await refuseAuthorizations(reader.db.pool, [{ id, reason: 'gasless_unavailable' }])
  // Make it look like a payment that was broadcast.
  await reader.db.pool.query('update authorizations set tx_hash = $2 where id = $1', [id, hash])
  expect((await buying).status).toBe(503)
  const observing = send('request-2', 'secret-of-an-observer-01')
  await inFlight(reader)
  await chain.mine(1)
  await reader.read()
  expect((await observing).status).toBe(402)
  expect((await send('request-3')).status).toBe(200)
})

test('a seller without a secret in its 402 hands the goods to the request that submitted the payment', async () => {
  const send = await linkOf()
  const buying = send('request-1')
  await broadcast(reader)
  const early = await send('request-2')
  await chain.mine(1)
  await reader.read()
  const late = await send('request-3')
  expect([(await buying).status, early.status, late.status]).toEqual([200, 402, 402])
  expect((await send('request-1')).status).toBe(200)
})
