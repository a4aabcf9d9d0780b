import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDevChain } from '@payment-intents/testing'
import { expect, test } from 'vitest'
import { newFolder } from '../../tests/support/newFolder.ts'
import { demoMerchant } from './demoMerchant.ts'

test('a key without its merchant is replaced', async () => {
  const envPath = join(newFolder(), 'demo.env')
  writeFileSync(envPath, 'PAYMENT_INTENTS_API_KEY=sk_test_1\n')
  const requested: (readonly string[])[] = []
  const made = await demoMerchant({
    envPath,
    baseUrl: 'http://localhost',
    shopUrl: 'http://localhost:4243',
    async cli(args) {
      requested.push(args)
      return args[0] === 'key' ? 'sk_test_2' : 'mer_1'
    },
  })
  expect(made).toEqual({ id: 'mer_1', apiKey: 'sk_test_2', origin: 'created' })
  const chains = requested.filter(([noun]) => noun === 'wallet').map((args) => args.at(-3))
  expect(chains).toEqual(['base', 'polygon'])
  expect(requested).toContainEqual([
    'return',
    'allow',
    'mer_1',
    '--origin',
    'http://localhost:4243',
  ])
})

test('nothing was ever sent to the demo merchant’s wallet when the first order comes', async () => {
  const requested: (readonly string[])[] = []
  await demoMerchant({
    envPath: 'none',
    baseUrl: 'http://localhost',
    shopUrl: 'http://localhost:4243',
    async cli(args) {
      requested.push(args)
      return 'mer_1'
    },
  })
  const wallet = requested.find(([noun]) => noun === 'wallet')?.at(-1) ?? expect.fail('no wallet')
  const topic = `0x${wallet.slice(2).toLowerCase().padStart(64, '0')}`
  const chain = await startDevChain({ blockTime: 0 })
  try {
    const [payer] = chain.accounts
    const logs = () =>
      chain.rpc('eth_getLogs', [
        { fromBlock: '0x0', address: chain.token, topics: [null, null, topic] },
      ])
    expect(await logs()).toEqual([])
    if (payer) await chain.pay({ from: payer.address, to: wallet as `0x${string}`, amount: 1n })
    expect(await logs()).toHaveLength(1)
  } finally {
    await chain.stop()
  }
})
