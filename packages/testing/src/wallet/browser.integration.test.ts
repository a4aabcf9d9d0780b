import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import { beforeAll, expect, test } from 'vitest'
import { launchChromium } from '../../../../tests/support/launchChromium.ts'
import { listenLocally } from '../../../../tests/support/listenLocally.ts'
import { account, devAccount, tokenBalance, untilMined } from '../../test/testSupport.ts'
import { type DevChain, startDevChain } from '../devChain/startDevChain.ts'

type Browser = Awaited<ReturnType<typeof launchChromium>>

let chain: DevChain
let browser: Browser
let url: string
let script: string
let tag: string

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-test-wallet-'))
  chain = await startDevChain({ blockTime: 0 })
  // A browser bundle fails if the code imports a module of Node.
  await build({
    config: false,
    entry: {
      wallet: join(import.meta.dirname, 'index.ts'),
      tag: join(import.meta.dirname, 'devWallet.ts'),
    },
    tsconfig: join(import.meta.dirname, '../../tsconfig.json'),
    format: ['iife'],
    globalName: 'kit',
    platform: 'browser',
    noExternal: [/./],
    outDir: folder,
    silent: true,
  })
  script = await readFile(join(folder, 'wallet.global.js'), 'utf8')
  tag = await readFile(join(folder, 'tag.global.js'), 'utf8')
  await rm(folder, { recursive: true })
  const server = createServer((request, response) => {
    const isScript = request.url === '/dev-wallet.js'
    response
      .writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      .end(
        isScript
          ? tag
          : request.url === '/bare'
            ? '<!doctype html>'
            : pageWith(request.url === '/remote' ? 'https://rpc.test' : chain.url),
      )
  })
  const listening = await listenLocally(server)
  url = listening.url
  browser = await launchChromium()
  return async () => {
    await browser.close()
    await listening.close()
    await chain.stop()
  }
})

async function openPage(begin: string) {
  const page = await browser.newPage()
  await page.addInitScript({ content: `${script}\n${begin}` })
  await page.goto(`${url}/bare`)
  return page
}

function pageWith(rpcUrl: string): string {
  return `<!doctype html><title>Shop</title><script src="/dev-wallet.js" data-rpc-url="${rpcUrl}"></script>`
}

/** The page's side of EIP-6963: finds the wallet and pays with it. */
function discoverAndPay(to: string): string {
  const amount = (12_340_000).toString(16).padStart(64, '0')
  const data = `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${amount}`
  return `(async () => {
    const found = []
    window.addEventListener('eip6963:announceProvider', ({ detail }) => found.push(detail))
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    const [{ info, provider }] = found
    const request = (method, ...params) => provider.request({ method, params })
    const [from] = await request('eth_requestAccounts')
    const transaction = { from, to: '${chain.token}', data: '${data}' }
    const hash = await request('eth_sendTransaction', transaction)
    return { name: info.name, icon: info.icon, count: found.length, from, hash }
  })()`
}

test.each([
  ['an account of the node', () => '2', 2],
  ['a private key', () => `'${devAccount(chain, 5).privateKey}'`, 5],
])('a page finds it and pays with %s', async (_, key, index) => {
  const options = `{ rpcUrl: '${chain.url}', account: ${key()} }`
  const page = await openPage(
    `kit.announceTestWallet(kit.createTestWallet(${options}), { name: 'Mine' })`,
  )
  const shop = account(chain, 8)
  const before = await tokenBalance(chain, shop)
  const paid = await page.evaluate<Record<string, unknown>>(discoverAndPay(shop))
  expect(paid).toMatchObject({
    name: 'Mine',
    icon: expect.stringMatching(/^data:image/),
    count: 1,
  })
  await untilMined(chain, paid.hash)
  expect(String(paid.from).toLowerCase()).toBe(account(chain, index).toLowerCase())
  expect((await tokenBalance(chain, shop)) - before).toBe(12_340_000n)
  await page.close()
})

test('a script tag offers a development wallet, which prompts its owner and pays', async () => {
  const page = await browser.newPage()
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.message())
    void dialog.accept()
  })
  await page.goto(url)
  const shop = account(chain, 8)
  const before = await tokenBalance(chain, shop)
  const paid = await page.evaluate<Record<string, unknown>>(discoverAndPay(shop))
  expect(paid).toMatchObject({ name: 'Development Wallet', count: 1 })
  await untilMined(chain, paid.hash)
  expect((await tokenBalance(chain, shop)) - before).toBe(12_340_000n)
  expect(questions).toMatchObject([
    expect.stringContaining(`show the account ${paid.from}`),
    expect.stringContaining('send the payment that this page requests'),
  ])
  await page.close()
})

test('a development wallet is for a chain on this machine only', async () => {
  const page = await browser.newPage()
  const printed: string[] = []
  page.on('console', (message) => printed.push(message.text()))
  await page.goto(`${url}/remote`)
  const chainId = await page.evaluate<number>(`(() => {
    let count = 0
    window.addEventListener('eip6963:announceProvider', () => count++)
    window.dispatchEvent(new Event('eip6963:requestProvider'))
    return count
  })()`)
  expect(chainId).toBe(0)
  expect(printed).toContainEqual(expect.stringMatching(/^The development wallet is not offered: /))
  await page.close()
})

test('a page sends calls, which a key in the page signs and the wallet drops', async () => {
  const key = devAccount(chain, 6).privateKey
  const page = await openPage(`window.wallet = kit.createTestWallet({
    rpcUrl: '${chain.url}',
    account: '${key}',
    atomic: 'supported',
    decide: ({ method }) => (method === 'wallet_sendCalls' ? 'drop' : 'approve'),
  })`)
  const status = await page.evaluate<Record<string, unknown>>(`(async () => {
    const request = (method, ...params) => wallet.request({ method, params })
    await request('eth_requestAccounts')
    const { id } = await request('wallet_sendCalls', {
      version: '2.0.0',
      chainId: await request('eth_chainId'),
      atomicRequired: false,
      calls: [{ to: '${account(chain, 8)}', value: '0x1' }],
    })
    return request('wallet_getCallsStatus', id)
  })()`)
  expect(status).toMatchObject({ version: '2.0.0', status: 400 })
  await page.close()
})
