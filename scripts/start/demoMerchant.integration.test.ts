import { startDevChain } from '@payment-intents/testing'
import { expect, test } from 'vitest'
import { demoMerchant } from './demoMerchant.ts'

test('nothing was ever sent to the demo merchant’s wallet when the first order comes', async () => {
  const asked: (readonly string[])[] = []
  await demoMerchant({
    envPath: 'none',
    baseUrl: 'http://localhost',
    async cli(args) {
      asked.push(args)
      return 'mer_1'
    },
  })
  const wallet = asked.find(([noun]) => noun === 'wallet')?.at(-1) ?? expect.fail('no wallet')
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
