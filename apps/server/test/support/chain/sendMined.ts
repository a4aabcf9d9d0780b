import type { DevChain } from '@payment-intents/testing'
import type { Hex } from 'viem'
import { until } from '../../../../../tests/support/until.ts'

/**
 * Makes the node sign and send a transaction. With automine, waits until it is in a block, since anvil responds before
 * it mines.
 */
export async function sendMined(
  { rpc }: Pick<DevChain, 'rpc'>,
  transaction: Readonly<Record<string, unknown>>,
): Promise<Hex> {
  const hash = await rpc<Hex>('eth_sendTransaction', [transaction])
  if (await rpc<boolean>('anvil_getAutomine')) {
    await until(async () => {
      if (!(await rpc('eth_getTransactionReceipt', [hash]))) throw new Error(`${hash} has no block`)
    })
  }
  return hash
}
