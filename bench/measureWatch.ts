/** Measures the cost of following a chain. Everything but the chain of the first three tables is as in production. */

import { at, rounded } from './numbers.ts'
import { settleLatency } from './watch/latency.ts'
import { catchUp, perPoll, startFollowing } from './watch/measurePolling.ts'
import { createSetting, startStub, watchWallets } from './watch/watchSetting.ts'

const setting = await createSetting()
const stub = await startStub()
try {
  console.log('\nOne reading of one new block')
  const rows: Record<string, Record<string, number>> = {}
  for (const wallets of [10, 100, 1_000, 10_000]) {
    await watchWallets(setting, wallets)
    rows[`${wallets} wallets`] = rounded(await perPoll(setting, stub, { transfers: 0, polls: 100 }))
  }
  await watchWallets(setting, 10_000)
  rows['10000 wallets, 340 transfers a block'] = rounded(
    await perPoll(setting, stub, { transfers: 340, polls: 50 }),
  )
  console.table(rows)

  console.log('\nA day of 43,200 blocks, 10 wallets')
  const days: Record<string, Record<string, number>> = {}
  for (const maxBlocks of [10_000, 10, 5]) {
    await watchWallets(setting, 10)
    days[`${maxBlocks} blocks a query`] = rounded(await catchUp(setting, stub, maxBlocks))
  }
  console.table(days)

  await setting.db.pool.query('truncate watched_topics')
  const following = await startFollowing(setting, stub.url)
  await stub.set({})
  for (let idle = 0; idle < 100; idle += 1) await following.read()
  await following.stop()
  const { calls } = await stub.set({})
  console.log(`\nRPC calls of 100 readings with nothing open: ${calls}`)

  console.log('\nFrom the last confirmation to `succeeded` in resolve, milliseconds')
  const latencies: Record<string, Record<string, number>> = {}
  for (const sockets of [false, true]) {
    const pollMs = 500
    const sorted = await settleLatency(setting, { pollMs, sockets, samples: 20 })
    const name = sockets ? 'new heads by WebSocket' : `polling every ${pollMs} ms`
    latencies[name] = rounded({ median: at(sorted, 0.5), worst: at(sorted, 1) })
  }
  console.table(latencies)
} finally {
  stub.close()
  await setting.close()
}
