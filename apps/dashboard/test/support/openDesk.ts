import type { BrowserContextOptions, Page } from 'playwright-core'
import { freePort } from '../../../../packages/testing/src/devChain/freePort.ts'
import { launchChromium } from '../../../../tests/support/launchChromium.ts'
import { invite } from '../../../server/src/account/peopleEndpoints.ts'
import { type MerchantApi, merchantApi } from '../../../server/test/support/server/merchantApi.ts'
import {
  createTestMerchant,
  startTestServer,
  type TestServer,
} from '../../../server/test/support/server/testServer.ts'

export type Desk = {
  readonly server: TestServer
  readonly url: string
  readonly merchant: { readonly id: string; readonly apiKey: string }
  /** The merchant's backend. */
  readonly api: MerchantApi
  /** The owner's page of the dashboard. */
  readonly page: Page
  /** Errors that a page threw or logged. */
  readonly faults: string[]
  /** Creates an object through the API. @returns its id */
  create(path: string, body: object): Promise<string>
  /** A single-use link that signs an owner in. */
  signInLink(merchantId?: string): Promise<string>
  /** Waits until the page with this heading is shown. */
  heading(name: string | RegExp): Promise<void>
  close(): Promise<void>
}

/** Starts a server, a database and a browser for the tests of a file. Nobody is signed in yet. */
export async function openDesk(
  options: Omit<Parameters<typeof startTestServer>[0], 'dashboard'> = {},
  contextOptions: BrowserContextOptions = {},
): Promise<Desk> {
  const url = `http://localhost:${await freePort()}`
  const server = await startTestServer({ ...options, dashboard: { url, now: Date.now } })
  const merchant = await createTestMerchant(server.db)
  const api = merchantApi(server, merchant.apiKey)
  const browser = await launchChromium()
  const viewport = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport, ...contextOptions })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // The browser logs an error for each response without a 2xx status, as without a session or without a proof.
    if (message.type() === 'error' && !/status of 40[13]/.test(message.text()))
      faults.push(`${message.text()} ${message.location().url}`)
  })
  return {
    ...{ server, url, merchant, api, page, faults },
    async create(path, body) {
      const response = await api.post(path, body)
      const created = await response.json()
      if (response.status !== 200) throw new Error(JSON.stringify(created))
      return created.id
    },
    async signInLink(merchantId = merchant.id) {
      const terms = { merchantId, name: 'Ada', email: null, role: 'owner' } as const
      return (await invite(server.db.pool, { dashboardUrl: url, now: Date.now }, terms)).url
    },
    heading: (name) => page.getByRole('heading', { level: 1, name }).waitFor(),
    async close() {
      await browser.close()
      await server.close()
    },
  }
}
