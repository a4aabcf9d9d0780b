import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createClient } from '@payment-intents/node'
import { createApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { connect } from './db/connect.ts'
import { findUnsettledOrders, type Order, recordSighting } from './db/orders.ts'
import { readPages } from './http/pages.ts'
import { scriptIntegrity } from './http/scriptIntegrity.ts'
import { followPayment } from './payment/followPayment.ts'

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

  const db = connect(config.dataDir)
  const stopping = new AbortController()
  const followers = new Set<Promise<void>>()

  const app = createApp({
    client: createClient({ apiKey: config.apiKey, baseUrl: config.baseUrl }),
    db,
    pages: readPages(built, { ...config, integrity: scriptIntegrity() }),
    onOrder: follow,
    log: console.error,
  })
  await app.listen({ host: 'localhost', port: config.port }).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new ConfigError(`Port ${config.port} is taken: choose another for the shop with PORT.`)
  })
  for (const order of findUnsettledOrders(db)) follow(order)
  const { port } = app.server.address() as AddressInfo
  console.log(`The shop is open at http://localhost:${port}`)

  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop)

  function follow(order: Order): void {
    const follower = settle(order).finally(() => followers.delete(follower))
    followers.add(follower)
  }

  async function settle(order: Order): Promise<void> {
    const outcome = await followPayment({
      baseUrl: config.baseUrl,
      clientSecret: order.client_secret,
      version: order.version,
      signal: stopping.signal,
      onSighting(sighting) {
        const next = recordSighting(db, order.id, sighting, new Date())
        console.log(`${order.id} ${sighting.status}`)
        if (next === 'fulfil') console.log(`${order.id} is paid: packing ${order.product_id}`)
      },
    })
    if (outcome === 'unknown_intent')
      console.error(`${order.id} cannot be followed: the payment API does not know its intent.`)
  }

  /** Safe to call twice: a terminal and a parent may both ask. */
  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return
    stopping.abort()
    await app.close()
    await Promise.all(followers)
    db.close()
  }
}
