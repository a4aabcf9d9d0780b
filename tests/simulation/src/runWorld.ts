import { watchTopic } from '@payment-intents/server/src/store/chains/watchedTopics.ts'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { createIntentCache } from '@payment-intents/server/src/store/payment-intents/intentCache.ts'
import { findForCheckouts } from '@payment-intents/server/src/store/payment-intents/paymentIntents.ts'
import { createChain } from './chain/chain.ts'
import { type ChainConditions, calm } from './chain/chainConditions.ts'
import type { Follower } from './chain/follower.ts'
import { pollUnderConditions } from './chain/poll.ts'
import { viewsOf } from './chain/simulatedRpc.ts'
import { checkAgainstChain } from './checkAgainstChain.ts'
import { checkChanges, type Watch } from './checkChanges.ts'
import { checkRefunds } from './checkRefunds.ts'
import type { Knowledge } from './oracle/knowledge.ts'
import {
  type Actors,
  insertMerchants,
  listedBy,
  matchesPlainPrice,
  merchantOf,
  provenBy,
  walletOf,
  walletsOf,
} from './plan/actors.ts'
import type { Plan } from './plan/drawPlan.ts'
import { noFaults } from './plan/faults.ts'
import { compose, composeEarly } from './plan/payers.ts'
import { followRefunds } from './promisedRefunds.ts'
import { serveRequests } from './serveRequests.ts'

export type Tally = Record<string, number>

type World = {
  readonly db: Db
  readonly plan: Plan
  readonly actors: Actors
  readonly watch: Watch
  readonly tally: Tally
  follower: Follower | null
  /** The head at the last reading that succeeded. */
  readTo: bigint
  /** No intent waited for anything at the last reading, so the chain was not read. */
  isIdle: boolean
  /** How often each refund had succeeded when it was looked at last. */
  readonly succeededBefore: Map<string, number>
}

/** Quiet steps at the end, each with this many blocks: enough for the deepest confirmation. */
const quietSteps = 6
const quietBlocks = 8
/** Over more blocks than this, less those that a provider can be behind, headers are not linked any more. */
const longestLink = 40n
const atRest = { ...calm, mine: 0 }
const nothingShown = { views: [], receipts: new Set<string>() }

/**
 * Runs one world to its end.
 *
 * @param db without rows; only this world's afterwards
 * @throws {Violation} as soon as an invariant is violated
 */
export async function runWorld(db: Db, plan: Plan): Promise<Tally> {
  const chain = createChain(plan.seed)
  chain.mine(250)
  const proofs = plan.histories.flatMap(({ wallet }) =>
    provenBy(plan.seed, wallet).map((address) => ({ address, merchantId: merchantOf(wallet) })),
  )
  const knowledge: Knowledge = {
    chain,
    chainId: plan.network.chainId,
    configured: new Map(
      plan.histories.map(({ wallet }) => [walletOf(plan.seed, wallet), merchantOf(wallet)]),
    ),
    plainPriceAt: new Set(
      plan.histories
        .filter(({ wallet }) => matchesPlainPrice(plan.seed, wallet))
        .map(({ wallet }) => walletOf(plan.seed, wallet)),
    ),
    intents: new Map(),
    requestedAt: new Map(),
    lists: new Map(
      plan.histories.map(({ wallet }) => {
        const listed = listedBy(plan.seed, wallet)
        const addresses = new Set([walletOf(plan.seed, wallet), ...listed])
        return [merchantOf(wallet), { addresses, limited: listed.length > 0 }]
      }),
    ),
    proofs: new Map(
      [...Map.groupBy(proofs, ({ address }) => address)].map(([address, of]) => {
        return [address, of.map(({ merchantId }) => merchantId)]
      }),
    ),
    owners: new Map(),
    statuses: new Map(),
    everPaid: new Set(),
    submitted: [],
    refunds: [],
    canceledAt: new Map(),
    moved: [],
    assigned: new Map(),
    decisions: new Map(),
    headersLostAt: 0n,
  }
  const world: World = {
    db,
    plan,
    actors: { plan, knowledge, intents: new Map() },
    watch: {
      knowledge,
      histories: walletsOf(plan),
      lastVersions: new Map(),
      succeeded: new Set(),
      cache: createIntentCache(db.pool, (ids) => findForCheckouts(db.pool, ids)),
    },
    tally: { histories: plan.histories.length },
    follower: null,
    readTo: 0n,
    isIdle: false,
    succeededBefore: new Map(),
  }
  await insertMerchants(db, plan)
  sendEarly(world)
  chain.mine(50)
  for (const [step, conditions] of plan.conditions.entries()) await runStep(world, step, conditions)
  const quiet = { ...calm, mine: quietBlocks }
  for (let step = 0; step < quietSteps; step += 1)
    await runStep(world, plan.conditions.length + step, quiet)
  // A block that is deep when it is first read is proven at the next poll.
  const last = plan.conditions.length + quietSteps
  await runStep(world, last, atRest)
  let intents = await checkChanges(db, world.watch, last, nothingShown)
  const how = world.isIdle ? 'unread' : 'settled'
  let transfers = await checkAgainstChain(db, world.watch, last, intents, how)
  if (world.isIdle) {
    // A reorg while no intent waited on the chain is found when an intent waits again.
    count(world, 'idle at the end')
    await waitForRetry(world)
    for (const step of [last + 1, last + 2]) await runStep(world, step, atRest)
    intents = await checkChanges(db, world.watch, last + 2, nothingShown)
    transfers = await checkAgainstChain(db, world.watch, last + 2, intents, 'settled')
  }
  const { actors, succeededBefore } = world
  const settled = { receipts: new Set<string>(), succeededBefore, isSettled: !world.isIdle }
  count(world, 'refunds succeeded', await checkRefunds(db, actors, last, settled))
  count(world, 'transfers', transfers)
  for (const { name, times } of await tallyTransfers(db)) count(world, name, times)
  for (const { status, exceptions } of intents) {
    for (const name of [status, ...exceptions]) count(world, name)
  }
  return world.tally
}

/** How often each rail bound a transfer, each reason left a transfer unmatched, and dust was credited. */
async function tallyTransfers(db: Db): Promise<{ name: string; times: number }[]> {
  const { rows } = await db.pool.query<{ name: string; times: number }>(
    `select coalesce('bound by ' || t.bound_by, 'unmatched: ' || t.reason) as name,
       count(*)::integer as times
     from transfers t where not orphaned group by 1
     union all
     select 'dust', count(*)::integer
     from transfers t join payment_intents p on p.id = t.intent_id
     where not orphaned and t.amount_units * 100 < p.amount_units and t.bound_by <> 'assignment'`,
  )
  return rows
}

/** One step: the actors act, the chain moves, the follower reads it, and every invariant is checked. */
async function runStep(world: World, step: number, conditions: ChainConditions): Promise<void> {
  const { db, actors, plan, watch } = world
  const { chain } = actors.knowledge
  const runAction = async (during: boolean) => {
    const counted = (name: string) => count(world, name)
    const server = await serveRequests(db, actors, step, during, counted)
    const refunded = during ? new Set<string>() : await followRefunds(db, actors, step, counted)
    const granted = new Set([...(server ?? []), ...refunded])
    if (server || refunded.size > 0)
      await checkChanges(db, watch, step, { ...nothingShown, granted })
  }
  await runAction(false)
  send(world, step)
  moveChain(world, conditions)
  let isDue = true
  const during = async () => {
    if (!isDue) return
    isDue = false
    await runAction(true)
  }
  if (conditions.outage) {
    await during()
    await db.pool.query(`update chain_cursors set scanned_at = now() - interval '1 minute'`)
    return
  }
  if (conditions.dbError.type !== 'none') count(world, conditions.dbError.type)
  if (conditions.dbError.type === 'window_lost' || chain.head.number - world.readTo > longestLink) {
    actors.knowledge.headersLostAt = chain.head.number
  }
  const receipts = new Set<string>()
  const { follower } = world
  const read = await pollUnderConditions({
    db,
    plan,
    chain,
    step,
    conditions,
    follower,
    receipts,
    during,
  })
  await during()
  const views = [chain.canonical, ...viewsOf(chain, conditions.faults)]
  const intents = await checkChanges(db, watch, step, { views, receipts })
  if (read.type === 'failed') count(world, 'failed readings')
  const { succeededBefore } = world
  await checkRefunds(db, actors, step, { receipts, succeededBefore, isSettled: false })
  world.follower = read.type === 'failed' ? null : read.follower
  if (read.type === 'read') world.readTo = chain.head.number
  world.isIdle = read.type === 'idle'
  if (conditions.faults === noFaults && read.type === 'read') {
    count(world, 'complete checks')
    await checkAgainstChain(db, watch, step, intents, 'read')
  }
}

/** Has the chain read again, as an intent of another merchant does. */
async function waitForRetry({ db, plan, actors }: World): Promise<void> {
  const { chain, chainId } = actors.knowledge
  const { timestamp } = chain.head
  const topic = walletOf(plan.seed, -1)
  await watchTopic(db.pool, { chainId, topic, since: timestamp * 1000, until: timestamp })
}

function sendEarly({ actors, plan }: World): void {
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      if (action.type !== 'pay_early') continue
      actors.knowledge.chain.send(composeEarly(actors, wallet, action))
    }
  }
}

function send(world: World, step: number): void {
  const { actors, plan } = world
  for (const { wallet, actions } of plan.histories) {
    for (const action of actions) {
      if (action.type !== 'send' || action.step !== step) continue
      const transaction = compose(actors, wallet, action)
      if (!transaction) continue
      actors.knowledge.chain.send(transaction)
      count(world, `sent: ${action.envelope}`)
      if (transaction.parts.some(({ isAttack }) => isAttack)) {
        count(world, `attack: ${action.envelope}`)
      }
    }
  }
}

function moveChain(world: World, { fork, mine, jump }: ChainConditions): void {
  const { chain } = world.actors.knowledge
  if (fork.type === 'reorg') chain.reorg(fork.depth, fork.replaced)
  if (fork.type === 'revive') chain.revive()
  if (fork.type !== 'none') count(world, fork.type)
  chain.mine(mine, jump)
}

function count(world: World, name: string, by = 1): void {
  world.tally[name] = (world.tally[name] ?? 0) + by
}
