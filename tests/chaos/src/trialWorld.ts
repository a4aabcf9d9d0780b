import type { Address } from '@payment-intents/contract'
import {
  type FaultProxy,
  startFaultProxy,
} from '@payment-intents/server/test/support/chain/faultProxy.ts'
import {
  createTestMerchant,
  randomWallet,
} from '@payment-intents/server/test/support/server/testServer.ts'
import { slowness } from '../../support/patience.ts'
import { type Database, startDatabase } from './database.ts'
import { merchants, type Round } from './plan.ts'
import { type Servers, startServers } from './servers.ts'
import { startTrialChain, type TrialChain } from './trialChain.ts'
import { type Client, createClient } from './trialClient.ts'
import type { EndpointRecord } from './trialRecord.ts'
import { type Receivers, startReceivers } from './webhooks/receivers.ts'

export type Merchant = {
  readonly apiKey: string
  readonly wallet: Address
  readonly endpoints: readonly EndpointRecord[]
}

/** All that runs in a trial. */
export type World = {
  readonly database: Database
  readonly chain: TrialChain
  readonly servers: Servers
  readonly client: Client
  readonly receivers: Receivers
  readonly merchants: readonly Merchant[]
  readonly secrets: readonly { readonly name: string; readonly value: string }[]
  /** From now on, both providers and all receivers do this. */
  setConditions(conditions: Pick<Round, 'providers' | 'receivers'>): Promise<void>
  close(): Promise<void>
}

export const confirmationsRequired = 5
const serverSecret = 'server-secret-of-the-trial-0123456789'
/** Part of the providers' URLs, as their API keys are. */
const providerKey = 'provider-key-of-the-trial'

export async function startWorld(seed: number): Promise<World> {
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const end of closing.reverse()) await end()
  }
  try {
    const database = await startDatabase()
    closing.push(database.close)
    const chain = await startTrialChain()
    closing.push(chain.stop)
    const providers = [
      await startFaultProxy(chain.url, `/${providerKey}`),
      await startFaultProxy(chain.url, `/${providerKey}`),
    ]
    closing.push(() => Promise.all(providers.map((provider) => provider.shut())))
    const receivers = await startReceivers(seed)
    closing.push(receivers.close)
    const servers = await startServers((name) => ({
      DATABASE_URL: database.urlFor(name),
      SERVER_SECRET: serverSecret,
      PUBLIC_URL: 'https://pay.example.com',
      RPC_URL_BASE_TESTNET: providers.map(({ url }) => url).join(','),
      CONFIRMATIONS_BASE_TESTNET: String(confirmationsRequired),
      POLL_INTERVAL_MS: '500',
      DATABASE_TIMEOUT_MS: String(Math.round(2_000 * slowness)),
      WEBHOOK_ALLOW_PRIVATE: 'true',
    }))
    closing.push(servers.close)
    const client = createClient(servers.urls)
    const all = await Promise.all(
      Array.from({ length: merchants }, (_, number) => openMerchant(number)),
    )
    return {
      ...{ database, chain, servers, client, receivers, merchants: all, close },
      secrets: [
        { name: 'the server secret', value: serverSecret },
        { name: "the database's password", value: database.password },
        { name: "the providers' key", value: providerKey },
        ...all.flatMap(({ apiKey, endpoints }) => [
          { name: 'an API key', value: apiKey },
          ...endpoints.map(({ secret: value }) => ({ name: 'a webhook secret', value })),
        ]),
      ],
      async setConditions({ providers: faults, receivers: mood }) {
        const head = await chain.head()
        await Promise.all(
          providers.map((provider, number) => {
            const { isFrozen, ...others } = faults[number] ?? {}
            return setFaults(provider, isFrozen ? { ...others, frozenAt: head } : others)
          }),
        )
        const paths = all.flatMap(({ endpoints }) => endpoints.map(({ path }) => path))
        for (const path of paths) receivers.setMood(path, mood)
      },
    }

    async function openMerchant(number: number): Promise<Merchant> {
      const wallet = randomWallet()
      const { apiKey } = await createTestMerchant(database.db, { wallet })
      const endpoints = [
        await openEndpoint(`all-${number}`, null),
        await openEndpoint(`some-${number}`, ['payment_intent.succeeded', 'transfer.unmatched']),
      ]
      return { apiKey, wallet, endpoints }

      async function openEndpoint(path: string, types: string[] | null): Promise<EndpointRecord> {
        const body = { url: receivers.urlOf(path), enabled_events: types }
        const { secret } = await client.read({
          ...{ method: 'POST', path: '/v1/webhook_endpoints', apiKey, body },
        })
        return { path, secret, types }
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function setFaults(provider: FaultProxy, faults: FaultProxy['faults']): Promise<void> {
  const isHolding = provider.faults.hang || provider.faults.hangBody
  provider.faults = faults
  // A held request would last until its client gives up.
  if (!isHolding) return
  await provider.shut()
  await provider.open()
}
