import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { clientSecretOf } from '../../src/lib/crypto/clientSecret.ts'
import { serverKeyOf } from '../../src/lib/crypto/serverKey.ts'
import { webhookSecretOf } from '../../src/lib/crypto/webhookSecret.ts'
import { chainOfFile } from '../support/chain/chainServer.ts'
import { payIntent, untilStatus } from '../support/chain/payments.ts'
import { merchantApi } from '../support/server/merchantApi.ts'
import { runHere } from '../support/server/runHere.ts'
import {
  createKey,
  exitCode,
  refusalOf,
  runServer,
  type ServerProcess,
  separateDatabase,
  startServer,
} from '../support/server/serverProcess.ts'
import {
  createIntent,
  type Json,
  resolveIntent,
  type TestServer,
} from '../support/server/testServer.ts'
import { type Receiver, startReceiver } from '../support/server/webhookReceiver.ts'

type Env = Record<string, string>

const chain = chainOfFile()
const newSecret = () => randomBytes(32).toString('hex')

async function receive(): Promise<Receiver> {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  return receiver
}

/** Servers that are replaced one by one: each old server stops when a new server is ready. */
function rollingServers(common: Env) {
  const servers: ServerProcess[] = []
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')))
  })
  let turn = 0
  return {
    servers,
    /** Sends requests to each server in turn, like a load balancer. */
    request: ((path, init) => {
      turn += 1
      const server = servers[turn % servers.length]
      return (server as ServerProcess).request(path, init)
    }) as TestServer['request'],
    /** @param count the number of servers from then on */
    async restart(env: Env, count: number) {
      const leaving = [...servers]
      for (let started = 0; started < count; started++) {
        servers.push(
          await startServer({ ...common, ...env, PUBLIC_URL: 'https://pay.example.com' }),
        )
        const last = started === count - 1
        for (const old of leaving.splice(0, last ? leaving.length : 1)) {
          servers.splice(servers.indexOf(old), 1)
          expect(await old.end('SIGTERM')).toBe(0)
        }
      }
    },
  }
}

/** The number of buyers who place orders concurrently, each in sequence. */
const buyers = 12

/** A shop that creates, replays and resolves all the time, has checkouts that wait, and collects failures. */
function busyShop(servers: { request: TestServer['request'] }, apiKey: string) {
  const intents: { idempotencyKey: string; responseText: string; clientSecret: string }[] = []
  const failures: string[] = []
  const api = merchantApi(servers, apiKey)
  let stopped = false
  const attempt = async (work: () => Promise<void>) => {
    await work().catch((error: Error) => failures.push(error.message))
  }
  const create = async (idempotencyKey: string) => {
    const headers = { 'idempotency-key': idempotencyKey }
    const response = await api.post('/v1/payment_intents', { amount_units: 5_000_000 }, headers)
    const body = await response.text()
    if (response.status !== 200) throw new Error(`creation: ${response.status} ${body}`)
    return body
  }
  async function buy(buyer: number) {
    for (let count = 0; !stopped; count++) {
      await attempt(async () => {
        const idempotencyKey = `order-${buyer}-${count}`
        const response = await create(idempotencyKey)
        intents.push({
          idempotencyKey,
          responseText: response,
          clientSecret: JSON.parse(response).client_secret,
        })
        const any = intents[(count * 7) % intents.length]
        if (!any) return
        await resolveIntent(servers, any.clientSecret)
        const replayed = await create(any.idempotencyKey)
        if (replayed !== any.responseText)
          throw new Error(`another replay: ${replayed} ${any.responseText}`)
      })
    }
  }
  /** Keeps a checkout open, whose request is held by the server that stops next. */
  async function wait() {
    while (!stopped) {
      const [first] = intents
      await attempt(async () => {
        const pending = { after_version: 1_000, wait_seconds: 1 }
        await resolveIntent(servers, first?.clientSecret ?? (await createAny()), pending)
      })
    }
  }
  const createAny = async () => JSON.parse(await create('first')).client_secret
  const working = Promise.all([...Array.from({ length: buyers }, (_, buyer) => buy(buyer)), wait()])
  onTestFinished(() => {
    stopped = true
  })
  return {
    ...{ api, intents, failures },
    async stop() {
      stopped = true
      await working
    },
  }
}

async function createEndpoint(shop: ReturnType<typeof busyShop>, url: string): Promise<Json> {
  const response = await shop.api.post('/v1/webhook_endpoints', { url })
  return response.json()
}

/** Verifies that every received webhook is signed with this secret. Returns their number. */
function verified(receiver: Receiver, secret: string): number {
  const webhook = new Webhook(secret)
  for (const { body, headers } of receiver.received) {
    webhook.verify(body, headers as Record<string, string>)
  }
  return receiver.received.length
}

test('no checkout, key or webhook fails while servers restart with a new secret and rotate it under load', async () => {
  const database = await separateDatabase()
  const [before, after] = [database.SERVER_SECRET, newSecret()]
  const [early, late] = [await receive(), await receive()]
  const hosts = [early, late].map(({ url }) => new URL(url).host).join(',')
  const servers = rollingServers({
    ...{ ...database, RPC_URL_BASE_TESTNET: chain.url, WEBHOOK_ALLOW_HOSTS: hosts },
    // All buyers have one address.
    RESOLVES_PER_ADDRESS: '1000000',
    // A request that was sent to a server before it left may still arrive.
    SHUTDOWN_DELAY_SECONDS: '1',
  })
  await servers.restart({}, 1)
  const [serverProcess] = servers.servers as [ServerProcess]
  const apiKey = await createKey(database.DATABASE_URL)
  const shop = busyShop(servers, apiKey)
  const firstEndpoint = await createEndpoint(shop, early.url)
  // Events of objects that are created from here on are also posted there.
  const created = shop.intents.length
  await serverProcess.until(() => expect(verified(early, firstEndpoint.secret)).toBeGreaterThan(5))

  const both = { SERVER_SECRET: after, SERVER_SECRET_PREVIOUS: before }
  await servers.restart(both, 2)
  const [two] = servers.servers as [ServerProcess]
  expect(two.output()).toContain('SERVER_SECRET is not in use yet')
  expect(shop.intents.at(-1)?.clientSecret).toBe(
    clientSecretOf(idOf(shop.intents.at(-1)), serverKeyOf(before)),
  )
  const rotated = await runHere(['secret', 'rotate'], { ...database, ...both })
  expect(rotated).toMatchObject({ code: 0, output: expect.stringContaining('from now on') })
  await two.until(async () => {
    for (const server of servers.servers) {
      const { id, client_secret } = await createIntent(server, apiKey)
      expect(client_secret).toBe(clientSecretOf(id, serverKeyOf(after)))
    }
  })
  const secondEndpoint = await createEndpoint(shop, late.url)
  await two.until(() => expect(verified(late, secondEndpoint.secret)).toBeGreaterThan(5))
  expect(secondEndpoint.secret).toBe(webhookSecretOf(secondEndpoint.id, 1, serverKeyOf(after)))
  expect(verified(early, firstEndpoint.secret)).toBeGreaterThan(5)
  const [oldest] = shop.intents
  const paid = JSON.parse(oldest?.responseText ?? '')
  await payIntent(chain, paid)
  await chain.mine(4)
  await untilStatus(two, paid, 'succeeded')

  // The early endpoint still signs with the secret that the shop knows, so the old secret must stay for now.
  const single = { ...database, SERVER_SECRET: after, RPC_URL_BASE_TESTNET: chain.url }
  const refused = runServer({ ...single, LOG_LEVEL: 'silent' })
  expect(await exitCode(refused)).toBe(1)
  expect(refusalOf(refused)).toMatch(
    /^SERVER_SECRET_PREVIOUS lacks the secret that signs the webhooks of 1 endpoint: [^\n]*$/,
  )
  const shown = await runHere(['secret', 'show'], { ...database, ...both })
  expect(
    shown.output
      .split('\n')
      .map((line) => line.split('\t').slice(1))
      .sort(),
  ).toEqual([
    ['current', '1 webhook endpoints', 'SERVER_SECRET'],
    ['previous', '1 webhook endpoints', 'SERVER_SECRET_PREVIOUS'],
  ])
  const path = `/v1/webhook_endpoints/${firstEndpoint.id}/rotate_secret`
  const { secret } = await (await shop.api.post(path, { overlap_hours: 0 })).json()
  expect(secret).toBe(webhookSecretOf(firstEndpoint.id, 2, serverKeyOf(after)))
  await two.until(() => expect(shop.intents.length).toBeGreaterThan(12))
  await shop.stop()
  expect(shop.failures).toEqual([])
  const due = shop.intents.slice(created + buyers).map(idOf)
  await two.until(() => expect(idsIn(early)).toEqual(expect.arrayContaining(due)))
  await servers.restart({ SERVER_SECRET: after }, 1)
  early.received.length = 0
  const [three] = servers.servers as [ServerProcess]
  const later = await createIntent(servers, await createKey(database.DATABASE_URL))
  await resolveIntent(servers, later.client_secret)
  const ofShop = await shop.api.post('/v1/payment_intents', { amount_units: 5_000_000 })
  expect(ofShop.status).toBe(200)
  await three.until(() => expect(verified(early, secret)).toBeGreaterThan(0))
})

/** The ids of the intents whose creation a receiver has received. */
function idsIn({ received }: Receiver): string[] {
  return received.flatMap(({ body }) => {
    const { type, data } = JSON.parse(body)
    return type === 'payment_intent.created' ? [data.object.id] : []
  })
}

function idOf(intent: { responseText: string } | undefined): string {
  return JSON.parse(intent?.responseText ?? '{}').id
}
