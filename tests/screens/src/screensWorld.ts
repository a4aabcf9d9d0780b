import { createServer } from 'node:http'
import { type Client, createClient } from '@payment-intents/node'
import type { Browser } from 'playwright-core'
import { type Service, startService } from 'shop/test/startService.ts'
import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  toFunctionSelector,
} from 'viem'
import { logoOf } from '../../../packages/core/src/pictures/logo.ts'
import { listenLocally } from '../../support/listenLocally.ts'
import { patientCalls } from '../../support/patience.ts'
import { drawLogo } from '../../support/pictures/drawLogo.ts'

/** The parts that all walks share: a chain, the server with its database, a browser, and a shop's page. */
export type World = Pick<Service, 'chain' | 'apiUrl'> & {
  readonly browser: Browser
  readonly client: Client
  /** The client of a merchant with a logo and a colour. */
  readonly brandedClient: Client
  /** The address of the shop's page, which has another origin than the service. */
  readonly pageUrl: string
  /** Calls a test helper of the server. */
  help(path: string, body?: object): Promise<void>
  /** Sets what an account holds: USDC in units, and ETH in wei. */
  fund(account: Address, holds: { usdc: bigint; eth: bigint }): Promise<void>
  /** Has the owner of the token call one of its functions, and waits for the block. */
  commandToken(signature: string, account?: Address): Promise<void>
  /** Whether the chain makes a block each second, or only on request. */
  runChain(how: 'by itself' | 'by hand'): Promise<void>
  stop(): Promise<void>
}

export async function startWorld(
  browser: Browser,
  options: { clusterUrl?: string } = {},
): Promise<World> {
  const service = await startService(options)
  const { chain, apiUrl, apiKey, branded } = service
  const logo = logoOf(drawLogo())
  if (typeof logo === 'string') throw new Error(`The logo ${logo}`)
  await branded.set({ accent: '#0f766e', logo })
  const shop = await servePage(apiUrl)
  return {
    chain,
    apiUrl,
    browser,
    client: createClient({ apiKey, baseUrl: apiUrl, ...patientCalls }),
    brandedClient: createClient({ apiKey: branded.apiKey, baseUrl: apiUrl, ...patientCalls }),
    pageUrl: shop.url,
    async help(path, body = {}) {
      const response = await fetch(`${apiUrl}/v1/test_helpers/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    },
    async fund(account, { usdc, eth }) {
      await chain.rpc('anvil_setBalance', [account, numberToHex(eth)])
      const units = pad(numberToHex(usdc), { size: 32 })
      await chain.rpc('anvil_setStorageAt', [chain.token, balanceSlot(account), units])
    },
    async commandToken(signature, account) {
      const selector = toFunctionSelector(signature)
      const data = account ? concat([selector, pad(account)]) : selector
      const from = chain.accounts[0]?.address
      const command = { from, to: chain.token, data }
      const hash = await chain.rpc<Hex>('eth_sendTransaction', [command])
      await chain.mine()
      const receipt = await chain.rpc<{ status: Hex }>('eth_getTransactionReceipt', [hash])
      if (receipt.status !== '0x1') throw new Error(`The token refused ${signature}.`)
    },
    async runChain(how) {
      await chain.rpc('evm_setIntervalMining', [how === 'by itself' ? 1 : 0])
    },
    async stop() {
      await shop.close()
      await service.stop()
    },
  }
}

/** Where the token keeps a balance: `_balances` is its first variable. */
function balanceSlot(account: Address) {
  const types = [{ type: 'address' }, { type: 'uint256' }] as const
  return keccak256(encodeAbiParameters(types, [account, 0n]))
}

/** A page whose policy lets the checkout's script, its service and data images in, and nothing else. */
async function servePage(apiUrl: string) {
  const policy = `default-src 'none'; script-src ${apiUrl}; connect-src ${apiUrl}; img-src data:`
  const page = `<!doctype html><html lang="en"><head><title>Hollow Hill</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><script src="${apiUrl}/v1/browser.js"></script></head>
<body><main><h1>Hollow Hill</h1></main></body></html>`
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
    response.end(page)
  })
  return listenLocally(server)
}
