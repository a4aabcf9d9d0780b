import type { DevChain } from '@payment-intents/testing'
import type { Faults } from './faultProxy.ts'

/** Makes a provider add this many invented blocks above each real head. */
export function boasting(
  chain: Pick<DevChain, 'rpc'>,
  blocks: number,
): NonNullable<Faults['instead']> {
  type Block = { number: string; hash: string; parentHash: string }
  const hex = (number: number) => `0x${number.toString(16)}`
  const word = (number: number) => hex(number).slice(2).padStart(14, '0')
  const real = (block: string) => chain.rpc<Block>('eth_getBlockByNumber', [block, false])
  async function invented(base: number, number: number): Promise<Block> {
    const block = await real(hex(base))
    const hash = (of: number) =>
      of === base ? block.hash : `0x${'f'.repeat(36)}${word(base)}${word(of)}`
    return { ...block, number: hex(number), hash: hash(number), parentHash: hash(number - 1) }
  }
  return async (method, forward, [requested]) => {
    const top = Number((await real('latest')).number)
    if (method === 'eth_getLogs') {
      const filter = requested as { fromBlock: string; toBlock: string }
      if (Number(filter.fromBlock) > top) return []
      if (Number(filter.toBlock) > top) filter.toBlock = 'latest'
    }
    if (method === 'eth_getBlockByNumber') {
      const number = requested === 'latest' ? top + blocks : Number(requested)
      if (number > top) return invented(top, number)
    }
    const inventedHash =
      method === 'eth_getBlockByHash' && /^0xf{36}(.{14})(.{14})$/.exec(String(requested))
    return inventedHash
      ? invented(Number(`0x${inventedHash[1]}`), Number(`0x${inventedHash[2]}`))
      : forward()
  }
}
