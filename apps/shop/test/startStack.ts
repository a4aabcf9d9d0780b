import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@payment-intents/node'
import { freePort } from '../../../packages/testing/src/devChain/freePort.ts'
import { patientCalls } from '../../../tests/support/patience.ts'
import { startProcess } from '../../../tests/support/startProcess.ts'
import { type Service, startService } from './startService.ts'

export type Stack = Service & { readonly shopUrl: string }

/** A service by `startService`, and a shop that sells on its chains. */
export async function startStack(
  options: { clusterUrl?: string; polygon?: boolean } = {},
): Promise<Stack> {
  const service = await startService(options)
  const { chain, polygon, apiUrl, apiKey } = service
  // Chosen beforehand: the service needs it before the shop listens.
  const shopPort = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-shop-'))
  const client = createClient({ apiKey, baseUrl: apiUrl, ...patientCalls })
  await client.returnOrigins.create({ origin: `http://localhost:${shopPort}` })
  const endpoint = await client.webhookEndpoints.create({
    url: `http://localhost:${shopPort}/webhooks`,
  })
  const shop = startProcess(join(import.meta.dirname, '../src/main.ts'), {
    env: {
      PORT: String(shopPort),
      DATA_DIR: folder,
      PAYMENT_INTENTS_API_KEY: apiKey,
      PAYMENT_INTENTS_WEBHOOK_SECRET: endpoint.secret,
      PAYMENT_INTENTS_BASE_URL: apiUrl,
      RPC_URL: chain.url,
      // The key of the wallet that receives the shop's payments.
      REFUND_KEY: chain.accounts[9]?.privateKey ?? '',
      ...(polygon && { SHOP_CHAINS: 'base,polygon', RPC_URL_POLYGON: polygon.url }),
    },
  })
  const [, shopUrl = ''] = await shop.prints(/open at (\S+)/)

  return {
    ...service,
    shopUrl,
    async stop() {
      await shop.end('SIGTERM')
      await service.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
