import type { Db } from '../db/connect.ts'
import { createChain } from './chain.ts'
import { checkAgainstChain } from './checkAgainstChain.ts'
import { checkChanges, type Watch } from './checkChanges.ts'
import { noFaults } from './faults.ts'
import type { Follower } from './follower.ts'
import type { Knowledge } from './oracle/knowledge.ts'
import { compose, composeEarly } from './payers.ts'
import { merchantOf, type People, settle, walletOf, walletsOf } from './people.ts'
import type { Plan } from './plan.ts'
import { readOnce } from './reading.ts'
import { serve } from './requests.ts'
import { viewsOf } from './rpc.ts'
import { fairWeather, type Weather } from './weather.ts'

export type Tally = Record<string, number>

type World = {
  readonly db: Db
  readonly plan: Plan
  readonly people: People
  readonly watch: Watch
  readonly tally: Tally
  follower: Follower | null
  /** The head at the last reading that succeeded. */
  readTo: bigint
}

/** Quiet steps at the end, each with this many blocks: enough for the deepest confirmation. */
const quietSteps = 6
const quietBlocks = 8
/** Over more blocks than this, less those that a provider can be behind, headers are not linked any more. */
const longestLink = 40n
const nothingShown = { views: [], receipts: new Set<string>() }

/**
 * Lives one world to its end.
 *
 * @param db without rows; only this world's afterwards
 * @throws {Violation} as soon as a promise is broken
 */
export async function runWorld(db: Db, plan: Plan): Promise<Tally> {
  const chain = createChain(plan.seed)
  chain.mine(250)
  const knowledge: Knowledge = {
    chain,
    chainId: plan.network.chainId,
    standing: new Map(
      plan.histories.map(({ wallet }) => [walletOf(plan.seed, wallet), merchantOf(wallet)]),
    ),
    intents: new Map(),
    askedAt: new Map(),
    announcements: [],
    assigned: new Map(),
    decisions: new Map(),
    headersLostAt: 0n,
  }
  const world: World = {
    db,
    plan,
    people: { plan, knowledge, intents: new Map() },
    watch: {
      knowledge,
      histories: walletsOf(plan),
      seen: new Map(),
      succeeded: new Set(),
    },
    tally: { histories: plan.histories.length },
    follower: null,
    readTo: 0n,
  }
  await settle(db, plan)
  sendEarly(world)
  chain.mine(50)
  for (const [step, weather] of plan.weather.entries()) await live(world, step, weather)
  const quiet = { ...fairWeather, mine: quietBlocks }
  for (let step = 0; step < quietSteps; step += 1)
    await live(world, plan.weather.length + step, quiet)
  // What is deep when it is first read is proven at the next reading.
  const last = plan.weather.length + quietSteps
  await live(world, last, { ...fairWeather, mine: 0 })
  const intents = await checkChanges(db, world.watch, last, nothingShown)
  const transfers = await checkAgainstChain(db, world.watch, last, intents, true)
  count(world, 'transfers', transfers)
  for (const { status, exceptions } of intents) {
    for (const name of [status, ...exceptions]) count(world, name)
  }
  return world.tally
}

/** One step: people act, the chain moves, somebody reads it, and all that is promised is checked. */
async function live(world: World, step: number, weather: Weather): Promise<void> {
  const { db, people, plan, watch } = world
  const { chain } = people.knowledge
  const act = async (during: boolean) => {
    const granted = await serve(db, people, step, during, (name) => count(world, name))
    if (granted) await checkChanges(db, watch, step, { ...nothingShown, granted })
  }
  await act(false)
  send(world, step)
  moveChain(world, weather)
  let isDue = true
  const during = async () => {
    if (!isDue) return
    isDue = false
    await act(true)
  }
  if (weather.outage) {
    await during()
    await db.pool.query(`update chain_cursors set scanned_at = now() - interval '1 minute'`)
    return
  }
  if (weather.trouble.type !== 'none') count(world, weather.trouble.type)
  if (weather.trouble.type === 'window_lost' || chain.head.number - world.readTo > longestLink) {
    people.knowledge.headersLostAt = chain.head.number
  }
  const receipts = new Set<string>()
  const { follower } = world
  const read = await readOnce({ db, plan, chain, step, weather, follower, receipts, during })
  await during()
  const views = [chain.canonical, ...viewsOf(chain, weather.faults)]
  const intents = await checkChanges(db, watch, step, { views, receipts })
  if (read.type === 'failed') count(world, 'failed readings')
  world.follower = read.type === 'failed' ? null : read.follower
  if (read.type === 'read') world.readTo = chain.head.number
  if (weather.faults === noFaults && read.type === 'read') {
    count(world, 'complete checks')
    await checkAgainstChain(db, watch, step, intents, false)
  }
}

function sendEarly({ people, plan }: World): void {
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      if (action.type !== 'pay_early') continue
      people.knowledge.chain.send(composeEarly(people, wallet, action))
    }
  }
}

function send(world: World, step: number): void {
  const { people, plan } = world
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      if (action.type !== 'send' || action.step !== step) continue
      const transaction = compose(people, wallet, action)
      if (!transaction) continue
      people.knowledge.chain.send(transaction)
      count(world, action.bundled ? 'bundles' : 'plain transactions')
    }
  }
}

function moveChain(world: World, { fork, mine, jump }: Weather): void {
  const { chain } = world.people.knowledge
  if (fork.type === 'reorg') chain.reorg(fork.depth, fork.fate)
  if (fork.type === 'revive') chain.revive()
  if (fork.type !== 'none') count(world, fork.type)
  chain.mine(mine, jump)
}

function count(world: World, name: string, by = 1): void {
  world.tally[name] = (world.tally[name] ?? 0) + by
}
