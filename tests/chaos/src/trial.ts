import { until } from '../../support/until.ts'
import { findViolations } from './findViolations.ts'
import { followEvents } from './followEvents.ts'
import { gather } from './gather.ts'
import { openShops } from './openShops.ts'
import { drawPlan, type Fault, type Round, type Size } from './plan.ts'
import type { TrialRecord } from './trialRecord.ts'
import { startWorld, type World } from './trialWorld.ts'
import type { Violation } from './violation.ts'

export type Result = {
  readonly violations: readonly Violation[]
  readonly tally: ReturnType<typeof tallyOf>
}

/** Deep enough for the last rereading of every block of the run. */
const finalBlocks = 520

/**
 * Runs servers, PostgreSQL, a chain and their clients, injects the plan's faults, and checks every invariant at the end.
 *
 * @param report called with each line of progress
 */
export async function runTrial(
  seed: number,
  size: Size,
  report: (line: string) => void = () => {},
): Promise<Result> {
  const world = await startWorld(seed)
  try {
    const shops = openShops(world)
    const followers = world.merchants.map(({ apiKey }) => followEvents(world.client, apiKey))
    const rounds = drawPlan(seed, size)
    for (const [index, round] of rounds.entries()) {
      await world.setConditions(round)
      await shops.payDropped()
      await runRound(world, round, shops.place)
      if (!round.isHurried) await world.servers.untilUp()
      await shops.assign()
      report(`${index + 1} of ${rounds.length} rounds`)
    }

    await world.setConditions({ providers: [{}, {}], receivers: 'well' })
    await world.servers.untilUp()
    await shops.payDropped()
    await world.chain.mine(finalBlocks)
    let outcome: { record: TrialRecord; violations: Violation[] } | undefined
    const settled = untilSo(report, async () => {
      await shops.assign()
      await world.database.hurry()
      const waiting = await world.database.countWaiting()
      if (waiting > 0) throw new Error(`${waiting} deliveries have not got through.`)
      const record = await gather(world, shops, followers)
      outcome = { record, violations: findViolations(record) }
      const [firstViolation] = outcome.violations
      if (firstViolation) throw new Error(`${firstViolation.invariant}: ${firstViolation.about}`)
    })
    const failure = await settled.then(
      () => null,
      (error: Error) => error,
    )
    await shops.close()
    if (!outcome) throw failure
    return { violations: outcome.violations, tally: tallyOf(outcome.record) }
  } finally {
    await world.close()
  }
}

/** Reports what is missing whenever it changes. */
function untilSo(report: (line: string) => void, check: () => Promise<void>): Promise<void> {
  let missing = ''
  return until(async () => {
    try {
      await check()
    } catch (error) {
      const { message } = error as Error
      if (message !== missing) report(message)
      missing = message
      throw error
    }
  })
}

/** Each payer sends one payment at a time; faults strike when so many orders have been placed. */
async function runRound(
  { chain, servers, database }: World,
  { orders, faults }: Round,
  place: ReturnType<typeof openShops>['place'],
): Promise<void> {
  const queue = orders.values()
  let placed = 0
  let striking: Promise<void> = Promise.resolve()
  await Promise.all(
    chain.payers.map(async (payer) => {
      for (const order of queue) {
        await place(order, payer)
        placed += 1
        for (const { after, fault } of faults) {
          if (after === placed) striking = striking.then(() => strike(fault))
        }
      }
    }),
  )
  await striking

  async function strike(fault: Fault): Promise<void> {
    switch (fault.type) {
      case 'server_killed':
        return servers.kill(fault.server)
      case 'database_killed':
        return database.kill()
      case 'reorg':
        return chain.reorg(fault.depth, fault.kind)
      case 'follower_suspended':
        return suspendFollower()
    }
  }

  /** Stops the process that follows the chain until another process does, then continues it. */
  async function suspendFollower(): Promise<void> {
    const { name, suspend, resume } = await until(async () => {
      const writer = await lastWriter()
      const follower = servers.find(writer)
      if (!follower) throw new Error(`Nobody has followed the chain since ${writer} was killed.`)
      return { ...follower, name: writer }
    })
    suspend()
    try {
      await until(async () => {
        if ((await lastWriter()) === name) throw new Error(`Nobody has followed ${name}.`)
      })
    } finally {
      resume()
    }
  }

  async function lastWriter(): Promise<string> {
    return (await database.leaseLog()).at(-1)?.writer ?? ''
  }
}

function tallyOf({ orders, merchants, arrivals, chain, leaseLog }: TrialRecord) {
  const intents = merchants.flatMap((merchant) => merchant.intents)
  const transfers = merchants.flatMap((merchant) => merchant.transfers)
  const events = merchants.flatMap((merchant) => merchant.events)
  return {
    orders: orders.length,
    succeeded: intents.filter(({ status }) => status === 'succeeded').length,
    transfers: chain.logs.length,
    takenBack: chain.inclusions.length - chain.logs.length,
    orphaned: transfers.filter(({ orphaned }) => orphaned).length,
    reversed: events.filter(({ type }) => type === 'payment_intent.reversed').length,
    events: events.length,
    deliveries: arrivals.length,
    takenDeliveries: arrivals.filter(({ taken }) => taken).length,
    leases: leaseLog.filter(({ action }) => action === 'taken').length,
    writes: leaseLog.filter(({ action }) => action === 'written').length,
    blocks: chain.head,
  }
}
