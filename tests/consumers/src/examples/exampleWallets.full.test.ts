import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { launchChromium } from '../../../support/launchChromium.ts'
import { caches, copyExample } from '../support/exampleShop.ts'
import { run } from '../support/run.ts'
import { servePages } from '../support/servePages.ts'
import { createIntent } from '../support/serviceRequests.ts'

test.for([
  ['walletconnect', 'WalletConnect'],
  ['base-account', 'Base Account'],
])(
  'wallets/%s, copied out, is offered first, and is not part of the page',
  async ([name = '', wallet = '']) => {
    const { root, folder } = await copyExample(join('wallets', name))
    onTestFinished(() => rm(root, { recursive: true }))
    const template = await readFile(join(folder, '.env.example'), 'utf8')
    const { url: service } = inject('service')
    await writeFile(join(folder, '.env'), template.replace('http://localhost:4242', service))
    const HOME = join(root, 'home')
    await mkdir(HOME)
    for (const command of ['install', 'run typecheck', 'run build']) {
      await run('npm', command.split(' '), { cwd: folder, env: { HOME, ...caches } })
    }

    const pages = await servePages(join(folder, 'dist'))
    onTestFinished(() => pages.close())
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const first: string[] = []
    page.on('response', (response) => first.push(response.url()))
    const { client_secret } = await createIntent()
    await page.goto(`${pages.url}/index.html#${client_secret}`)
    const scripts = first.filter((url) => url.endsWith('.js'))
    expect(scripts).toHaveLength(1)
    const { length } = await (await fetch(scripts[0] ?? '')).text()
    expect(length).toBeLessThan(100_000)
    await page.getByRole('button', { name: 'Pay with USDC' }).click()
    await page.getByRole('dialog').getByRole('button', { name: wallet }).waitFor()
  },
)
