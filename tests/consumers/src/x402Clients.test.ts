import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { x402Client } from '@payment-intents/server/test/support/server/x402Client.ts'
import { expect, test } from 'vitest'
import { x402Requirements } from '../../../packages/contract/src/index.ts'
import { devAccounts } from '../../../packages/testing/src/devChain/devAccounts.ts'

const guide = readFileSync(join(import.meta.dirname, '../../../docs/x402.md'), 'utf8')
const [account = expect.fail('no account')] = devAccounts
const [base, baseSepolia, polygon, polygonAmoy] = [8453, 84532, 137, 80002]

/** Has the protocol's own client sign a payment of so many cents. @returns the error; undefined: it signed */
async function pay(chainId: number, cents: number, options = {}): Promise<string | undefined> {
  const client = await x402Client(account, fetch, options)
  const terms = { chainId, payTo: account.address, amountUnits: cents * 10_000 }
  const accepts = [x402Requirements({ ...terms, maxTimeoutSeconds: 60 })]
  const resource = { url: 'https://shop.test/', description: '', mimeType: '' }
  return client.sign({ x402Version: 2, error: '', resource, accepts }).then(
    () => undefined,
    ({ message }: Error) => message,
  )
}

test('an x402 client pays a dollar on the chains whose USDC it knows, and nothing on Polygon Amoy', async () => {
  for (const chainId of [base, baseSepolia, polygon]) {
    expect(await pay(chainId, 100), `${chainId}`).toBeUndefined()
    expect(await pay(chainId, 101)).toContain('rejected by spendControls.maxAmountPerPayment')
  }
  expect(await pay(polygonAmoy, 1)).toContain('only default assets')
})

test('with the spendControls of the guide it pays five dollars on each chain', async () => {
  const [, spendControls] = /^spendControls: (\{\n.*?^\})/ms.exec(guide) ?? []
  const options = { spendControls: new Function(`return ${spendControls}`)() }
  for (const chainId of [base, baseSepolia, polygon, polygonAmoy]) {
    expect(await pay(chainId, 500, options), `${chainId}`).toBeUndefined()
    expect(await pay(chainId, 501, options)).toContain('rejected by spendControls')
  }
})
