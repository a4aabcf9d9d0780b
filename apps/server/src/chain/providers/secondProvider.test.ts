import { expect, test } from 'vitest'
import { readTransactions } from '../rpc/readTransactions.ts'
import { RpcError } from '../rpc/rpcError.ts'
import { createSecondProvider } from './secondProvider.ts'

test('a second provider that fails during the request for a large receipt fails nothing else', async () => {
  const txHash = `0x${'1'.repeat(64)}` as const
  const blockHash = `0x${'2'.repeat(64)}` as const
  const { largeReceipts } = createSecondProvider([{ health: { state: 'unchecked' } }], {
    rpcOf: () => expect.fail('nobody is there'),
    standstillOf: () => null,
    reportReady: () => {},
    failed: () => {},
    disagreed: () => {},
  })
  const sender = `0x${'3'.repeat(40)}` as const
  const rpc = {
    transaction: async () => ({ sender, to: null, input: '0x', gas: 21_000n }) as const,
    // By now it is unreachable.
    receipt: () => Promise.reject(new RpcError('timeout', 'no response in time')),
    largeReceipts,
  }
  const results = await readTransactions(rpc, [{ txHash, blockHash }])
  expect(results.get(txHash)).toMatchObject({ type: 'failed', isLarge: true })
  expect(largeReceipts.stateOf(txHash)).toBe('none')
})
