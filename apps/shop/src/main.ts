import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createClient, type Event } from '@payment-intents/node'
import { privateKeyToAccount } from 'viem/accounts'
import { createApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { openShopDatabase } from './db/openShopDatabase.ts'
import type { Delivery } from './db/receivedDeliveries.ts'
import { readPages } from './http/readPages.ts'
import { scriptIntegrity } from './http/scriptIntegrity.ts'
import { applyEvent } from './payment/applyEvent.ts'
import { keepUp } from './payment/keepUp.ts'
import { createSignWaiting } from './refund/signWaiting.ts'

/** Milliseconds after which events that no webhook has delivered are fetched. */
const patience = 60_000

try {
  await start()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const built = fileURLToPath(new URL('../dist', import.meta.url))
  if (!existsSync(built))
    throw new ConfigError('The pages of the shop are not built yet: run `pnpm build` first.')

  const db = openShopDatabase(config.dataDir)
  const stopping = new AbortController()
  const client = createClient({ apiKey: config.apiKey, baseUrl: config.baseUrl })
  const signer = config.refundKey && privateKeyToAccount(config.refundKey)
  const { signal } = stopping
  const signWaiting = signer
    ? createSignWaiting({ client, db, signer, signal, log: console.error })
    : async () => {}
  const app = createApp({
    client,
    db,
    signer,
    chains: config.chains,
    pages: readPages(built, { ...config, integrity: scriptIntegrity() }),
    webhookSecret: config.webhookSecret,
    onEvent: (event) => take(event, 'webhook'),
    log: console.error,
  })
  await app.listen({ host: 'localhost', port: config.port }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new ConfigError(`Port ${config.port} is taken: choose another for the shop with PORT.`)
  })
  const updates = keepUp(
    {
      ...{ client, db, onEvent: (event) => take(event, 'catch_up') },
      ...{ onCaughtUp: signWaiting, log: console.error },
    },
    { patience, signal },
  )

  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop)

  // The starter may stop it from here on.
  const { port } = app.server.address() as AddressInfo
  console.log(`The shop is open at http://localhost:${port}`)

  function take(event: Event, via: Delivery['via']): void {
    const { outcome, order_id } = applyEvent(db, event, via, new Date())
    if (outcome === 'repeat' && via === 'catch_up') return
    console.log(`${event.type} ${event.id}: ${outcome}${order_id ? `, ${order_id}` : ''}`)
    // Its buyer has named the destination, or its signature was not used in time.
    if (event.type === 'refund.updated' && outcome === 'recorded') void signWaiting()
    if (outcome === 'fulfilled') console.log(`${order_id} is paid: packing it`)
  }

  /** Safe to call twice: a terminal and a parent process may both send a signal. */
  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return
    stopping.abort()
    await app.close()
    await updates
    await signWaiting()
    db.close()
  }
}
