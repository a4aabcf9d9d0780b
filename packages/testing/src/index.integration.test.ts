import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { describe, expect, it, test } from 'vitest'
import * as chain from './index.ts'
import * as service from './service/index.ts'
import * as wallet from './wallet/index.ts'
import * as webhooks from './webhooks/index.ts'

it('exports what the README names', () => {
  expect(Object.keys(chain)).toEqual(['startDevChain'])
  expect(Object.keys(service)).toEqual(['createTestService'])
  expect(Object.keys(wallet)).toEqual(['announceTestWallet', 'createTestWallet'])
  expect(Object.keys(webhooks)).toEqual(['signWebhook', 'webhookEvent', 'webhookRequest'])
})

/** The other published files that an import of one entry loads. */
const loaded = `
import { registerHooks } from 'node:module'
const urls = new Set()
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    urls.add(resolved.url)
    return resolved
  },
})
await import(process.argv[1])
console.log(JSON.stringify([...urls]))`

async function loadedBy(entry: string): Promise<string[]> {
  const run = promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', loaded, `@payment-intents/testing${entry}`],
    { cwd: import.meta.dirname },
  )
  const urls: string[] = JSON.parse((await run).stdout)
  const packages = urls.map(
    (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url)?.[1],
  )
  return [...new Set(urls.map((url, index) => packages[index] ?? url))]
}

describe('an import of a part loads no other part', () => {
  test.each([
    ['', ['msw']],
    ['/service', ['@foundry-rs/anvil', 'node:child_process', 'child_process']],
    ['/webhooks', ['@foundry-rs/anvil', 'node:child_process', 'child_process', 'msw']],
  ])('@payment-intents/testing%s', async (entry, others) => {
    const names = await loadedBy(entry)
    expect(names.length).toBeGreaterThan(1)
    for (const other of others) expect(names).not.toContain(other)
  })

  test('@payment-intents/testing/wallet, which loads nothing until it signs', async () => {
    const names = await loadedBy('/wallet')
    expect(names.filter((name) => !name.includes('/packages/testing/dist/'))).toEqual([])
  })
})

test('require returns the same', () => {
  const require = createRequire(import.meta.url)
  for (const [name, part] of Object.entries({ service, wallet, webhooks })) {
    const required = require(`@payment-intents/testing/${name}`)
    expect(Object.keys(required).sort()).toEqual(Object.keys(part).sort())
  }
})
