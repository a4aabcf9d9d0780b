import pg from 'pg'
import { LeaseLost } from '../db/chainCursors.ts'
import type { Db } from '../db/connect.ts'
import { type Chain, createChain } from './chain.ts'
import { checkAgainstChain, checkChanges, type Watch } from './checks.ts'
import { noFaults } from './faults.ts'
import { type Follower, Killed, type Read, readAll, startFollower, troubled } from './follower.ts'
import { compose, createIntent, type People, settle, walletOf } from './people.ts'
import type { Plan } from './plan.ts'
import { createSimulatedRpc, viewsOf } from './rpc.ts'
import { Violation } from './violation.ts'
import { fairWeather, type Weather } from './weather.ts'

export type Tally = Record<string, number>

type World = {
  readonly db: Db
  readonly plan: Plan
  readonly chain: Chain
  readonly people: People
  readonly watch: Watch
  readonly tally: Tally
  follower: Follower | null
}

/** Quiet steps at the end, each with this many blocks: enough for the deepest confirmation. */
const quietSteps = 6
const quietBlocks = 8

/**
 * Lives one world to its end.
 *
 * @param db without rows; only this world's afterwards
 * @throws {Violation} as soon as a promise is broken
 */
export async function runWorld(db: Db, plan: Plan): Promise<Tally> {
  const chain = createChain(plan.seed)
  chain.mine(300)
  const world: World = {
    db,
    plan,
    chain,
    people: { plan, intents: new Map() },
    watch: {
      chainId: plan.network.chainId,
      chain,
      promised: new Map(),
      wallets: new Map(plan.histories.map(({ wallet }) => [walletOf(plan.seed, wallet), wallet])),
      seen: new Map(),
      succeeded: new Set(),
    },
    tally: { histories: plan.histories.length },
    follower: null,
  }
  await settle(db, plan)
  for (const [step, weather] of plan.weather.entries()) await live(world, step, weather)
  const quiet = { ...fairWeather, mine: quietBlocks }
  for (let step = 0; step < quietSteps; step += 1)
    await live(world, plan.weather.length + step, quiet)
  // What is deep when it is first read is proven at the next reading.
  const last = plan.weather.length + quietSteps
  await live(world, last, { ...fairWeather, mine: 0 })
  const intents = await checkChanges(db, world.watch, last, [chain.canonical])
  const transfers = await checkAgainstChain(db, world.watch, last, intents, true)
  count(world, 'transfers', transfers)
  for (const { status, exceptions } of intents) {
    for (const name of [status, ...exceptions]) count(world, name)
  }
  return world.tally
}

/** One step: people act, the chain moves, somebody reads it, and all that is promised is checked. */
async function live(world: World, step: number, weather: Weather): Promise<void> {
  const { chain, db, watch } = world
  await act(world, step)
  moveChain(world, weather)
  if (weather.outage) {
    await db.pool.query(`update chain_cursors set scanned_at = now() - interval '1 minute'`)
    return
  }
  const read = await readOnce(world, step, weather)
  const views = [chain.canonical, ...viewsOf(chain, weather.faults)]
  const intents = await checkChanges(db, watch, step, views)
  if (read.type === 'failed') {
    world.follower = null
    expectFailure(world, step, weather, read.error)
    return
  }
  world.follower = read.follower
  if (weather.faults === noFaults && read.type === 'read') {
    count(world, 'complete checks')
    await checkAgainstChain(db, watch, step, intents, false)
  }
}

/** Merchants create and payers pay; a merchant's own requests come one after another. */
async function act(world: World, step: number): Promise<void> {
  const { chain, db, people, plan, watch } = world
  await Promise.all(
    plan.histories.map(async ({ wallet, actions }) => {
      for (const action of actions) {
        if (action.step !== step || action.type !== 'create') continue
        const intent = await createIntent(db, people, chain, wallet, action)
        watch.promised.set(intent.id, intent)
        count(world, 'intents')
      }
    }),
  )
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      if (action.step !== step || action.type !== 'send') continue
      const transaction = compose(people, wallet, action)
      if (!transaction) continue
      chain.send(transaction)
      count(world, action.bundled ? 'bundles' : 'plain transactions')
    }
  }
}

function moveChain(world: World, { fork, mine, jump }: Weather): void {
  const { chain } = world
  if (fork.type === 'reorg') chain.reorg(fork.depth, fork.fate)
  if (fork.type === 'revive') chain.revive()
  if (fork.type !== 'none') count(world, fork.type)
  chain.mine(mine, jump)
}

async function readOnce(world: World, step: number, weather: Weather): Promise<Read> {
  const { chain, db, plan } = world
  const { chainId, usdc } = plan.network
  const { faults, trouble } = weather
  const now = chain.head.timestamp * 1000
  const token = usdc.toLowerCase() as `0x${string}`
  const rpc = createSimulatedRpc({ seed: plan.seed, step, chainId, token, chain, faults })
  if (trouble.type !== 'none') count(world, trouble.type)
  if (trouble.type === 'window_lost') {
    await db.pool.query('delete from chain_blocks where chain_id = $1', [chainId])
  }
  if (trouble.type === 'restart' || trouble.type === 'window_lost') world.follower = null
  const follower = world.follower ?? (await startFollower(db, chainId))

  let successor: Read | null = null
  let before = ''
  const read = await readAll(
    troubled(db, trouble, async () => {
      const other = await startFollower(db, chainId)
      successor = await readAll(db, rpc, other, now)
      before = await digest(db, chainId)
    }),
    rpc,
    follower,
    now,
  )
  if (!successor) return read
  const wrote = before !== (await digest(db, chainId))
  if (wrote || read.type !== 'failed' || !(read.error instanceof LeaseLost)) {
    throw new Violation(
      'I10',
      step,
      [],
      `a process without the lease: ${read.type}, wrote: ${wrote}`,
    )
  }
  return successor
}

/** A reading may fail for what was done to it, never of itself. */
function expectFailure(world: World, step: number, weather: Weather, error: Error): void {
  const { faults, trouble } = weather
  count(world, 'failed readings')
  const wronged =
    faults !== noFaults || trouble.type === 'crash' || trouble.type === 'crash_after_commit'
  if (wronged && !(error instanceof pg.DatabaseError) && !(error instanceof TypeError)) return
  if (error instanceof Killed) return
  throw new Violation('reading', step, [], `${error.stack}`)
}

/** Changes whenever the follower's own tables do. */
async function digest(db: Db, chainId: number): Promise<string> {
  const { rows } = await db.pool.query(
    `select (select count(*) from transfers) as transfers,
      (select count(*) from transfers where orphaned) as orphaned,
      (select count(*) from events) as events,
      (select sum(version) from payment_intents) as versions,
      (select count(*) from payable_reservations) as reservations,
      (select array_agg(hash order by number) from chain_blocks) as blocks,
      (select scanned_to from chain_cursors where chain_id = $1) as scanned`,
    [chainId],
  )
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function count(world: World, name: string, by = 1): void {
  world.tally[name] = (world.tally[name] ?? 0) + by
}
