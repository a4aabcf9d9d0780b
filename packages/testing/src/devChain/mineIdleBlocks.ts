import { pause } from '../lib/pause.ts'

/** After a transaction: more than the confirmations that a payment needs. */
const busyBlocks = 40
/** Between two blocks while nothing happens. */
const idleSeconds = 15

/**
 * Makes a chain with a block every `blockTime` seconds mine fewer blocks while nothing happens, until this process
 * ends. Each block uses memory until anvil ends: a day with a block a second would take a gigabyte. A chain whose
 * interval somebody else has set stays unchanged.
 *
 * @param blockTime whole seconds, as anvil requires
 */
export async function mineIdleBlocks(
  url: string,
  blockTime: number,
  { busy, idle }: { busy: number; idle: number } = { busy: busyBlocks, idle: idleSeconds },
  signal?: AbortSignal,
): Promise<void> {
  let height = 0
  let busyUntil = busy

  async function step(): Promise<void> {
    const interval = await callRpc<number | null>(url, 'anvil_getIntervalMining')
    if (interval !== blockTime && interval !== idle) return
    const head = Number(await callRpc(url, 'eth_blockNumber'))
    const { pending } = await callRpc<{ pending: string }>(url, 'txpool_status')
    if (Number(pending) > 0) busyUntil = head + busy
    // After a reorg or a revert the head may be an earlier block.
    for (let number = Math.min(height, head) + 1; number <= head; number += 1) {
      const block = `0x${number.toString(16)}`
      const count = await callRpc<string>(url, 'eth_getBlockTransactionCountByNumber', block)
      if (Number(count) > 0) busyUntil = number + busy
    }
    height = head
    const wanted = head < busyUntil ? blockTime : idle
    if (wanted === interval) return
    // Somebody else may have set the interval while the blocks were read.
    const now = await callRpc<number | null>(url, 'anvil_getIntervalMining')
    if (now === interval) await callRpc(url, 'evm_setIntervalMining', wanted)
  }

  while (!signal?.aborted) {
    // A starting anvil does not respond yet; when anvil ends, this process ends too.
    await step().catch(() => {})
    await pause(1_000)
  }
}

async function callRpc<Result>(url: string, method: string, ...params: unknown[]): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await response.json()) as { result: Result }
  return result
}
