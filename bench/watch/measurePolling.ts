import { type PollResult, pollChain } from '../../apps/server/src/chain/pollChain.ts'
import { initialState } from '../../apps/server/src/chain/polling/followerState.ts'
import { openProviders } from '../../apps/server/src/chain/providers/openProviders.ts'
import { acquireLease, releaseLease } from '../../apps/server/src/store/chains/cursors.ts'
import { chainFacts } from '../../packages/contract/src/index.ts'
import { chainId, type Setting, type Stub } from './watchSetting.ts'

export const facts = chainFacts('testnet', 'base')

export type Following = {
  /** A reading, as the follower makes it. */
  read(): Promise<PollResult['type'] | 'failed'>
  stop(): Promise<void>
}

/** The follower without its waits. */
export async function startFollowing({ db }: Setting, url: string): Promise<Following> {
  const log = { warn() {} }
  const providers = openProviders({
    ...{ facts, urls: [url], now: Date.now, databaseNow: Date.now, random: Math.random, log },
  })
  await providers.start(5_000)
  const lease = await acquireLease(db, chainId)
  if (!lease) throw new Error('the lease is held')
  let state = initialState([])
  return {
    async read() {
      const reader = providers.choose()
      if (!reader) throw new Error('the stub is not ready')
      const { rpc, blocksPerQuery: range, secondProvider } = reader
      try {
        const context = { db, lease, now: Date.now, rpc, span: range, secondProvider }
        const polled = await pollChain(context, state)
        if ('state' in polled) state = polled.state
        reader.worked()
        return polled.type
      } catch (error) {
        reader.failed(error)
        if (!providers.choose()) throw error
        return 'failed'
      }
    },
    async stop() {
      await releaseLease(db, lease)
      providers.close()
    },
  }
}

export type PerPoll = {
  cpuMs: number
  wallMs: number
  queries: number
  rpc: number
  logQueries: number
}

/** The mean of readings of one new block each. */
export async function perPoll(
  setting: Setting,
  stub: Stub,
  chain: { transfers: number; polls: number },
): Promise<PerPoll> {
  const { transfers, polls } = chain
  // So that the newest block is of this second at the end.
  const genesis = Math.floor(Date.now() / 1_000) - 2 * (10_000 + polls + 50)
  await stub.set({ head: 10_000, genesis, transfers, maxBlocks: 10_000 })
  const following = await startFollowing(setting, stub.url)
  let head = 10_000
  const step = async () => {
    head += 1
    await stub.set({ head })
    return following.read()
  }
  while ((await following.read()) !== 'current');
  for (let warm = 0; warm < 50; warm += 1) await step()
  const sum = { cpuMs: 0, wallMs: 0, queries: 0, rpc: 0, logQueries: 0 }
  for (let measured = 0; measured < polls; measured += 1) {
    head += 1
    await stub.set({ head })
    setting.queries()
    const wall = performance.now()
    const cpu = process.cpuUsage()
    await following.read()
    const { user, system } = process.cpuUsage(cpu)
    sum.cpuMs += (user + system) / 1_000
    sum.wallMs += performance.now() - wall
    sum.queries += setting.queries()
    const { calls, logQueries } = await stub.set({})
    sum.rpc += calls
    sum.logQueries += logQueries
  }
  await following.stop()
  const mean = Object.entries(sum).map(([name, value]) => [name, value / polls])
  return Object.fromEntries(mean) as PerPoll
}

/** Seconds to read a day that was not read before, and the cost. */
export async function catchUp(
  setting: Setting,
  stub: Stub,
  maxBlocks: number,
): Promise<{ seconds: number; cpuSeconds: number; rpc: number }> {
  const blocks = 43_200
  const day = blocks * 2
  const genesis = Math.floor(Date.now() / 1_000) - day - 20_000
  await stub.set({ head: 10_000 + blocks, genesis, transfers: 0, maxBlocks })
  await setting.db.pool.query('delete from chain_blocks')
  await setting.db.pool.query('delete from chain_cursors')
  await setting.db.pool.query(
    `update watched_topics set since = now() - make_interval(secs => ${day})`,
  )
  const following = await startFollowing(setting, stub.url)
  await stub.set({})
  const started = performance.now()
  const cpu = process.cpuUsage()
  while ((await following.read()) !== 'current');
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - started) / 1_000
  await following.stop()
  const { calls } = await stub.set({})
  return { seconds, cpuSeconds: (user + system) / 1e6, rpc: calls }
}
