import { pause } from './pause.ts'

/** After a transaction, or a block that somebody asked for: more than the confirmations that a payment needs. */
const busyBlocks = 40
/** Between two blocks while nothing happens. */
const idleSeconds = 15

/**
 * Makes blocks until this process ends: one every `blockTime` seconds while something happens, and one in
 * {@link idleSeconds} otherwise. Each block takes memory for good, so a day of one a second would take a gigabyte.
 */
export async function makeBlocks(url: string, blockTime: number): Promise<never> {
  let head = 0
  let left = busyBlocks
  let madeAt = Number.NEGATIVE_INFINITY

  async function step(): Promise<void> {
    const [number, pool] = await Promise.all([
      ask<string>(url, 'eth_blockNumber'),
      ask<{ pending: string }>(url, 'txpool_status'),
    ])
    if (Number(number) !== head || Number(pool.pending) > 0) left = busyBlocks
    const idleMs = performance.now() - madeAt
    if (left > 0 || idleMs >= idleSeconds * 1_000) {
      await ask(url, 'evm_mine')
      madeAt = performance.now()
      left -= 1
    }
    head = Number(await ask(url, 'eth_blockNumber'))
  }

  for (
    let next = performance.now();
    ;
    next = Math.max(next + blockTime * 1_000, performance.now())
  ) {
    await pause(Math.max(0, next - performance.now()))
    // An anvil that is starting does not answer yet, and one that has ended ends this process.
    await step().catch(() => {})
  }
}

async function ask<result>(url: string, method: string): Promise<result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  })
  const { result } = (await response.json()) as { result: result }
  return result
}
