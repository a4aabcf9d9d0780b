import type { Faults as ProviderFaults } from '@payment-intents/server/test/support/chain/faultProxy.ts'
import { random } from 'simulation/src/plan/random.ts'

/** How much happens in a run. Every round restarts what was killed in it, so there are at least as many as kills. */
export type Size = {
  readonly ordersPerRound: number
  /** SIGKILLs of a server. */
  readonly kills: number
  /** SIGKILLs of PostgreSQL. */
  readonly databaseKills: number
  readonly reorgs: number
  /** Times that the process which follows the chain is stopped until another process does, and continued. */
  readonly suspensions: number
}

export const quick: Size = {
  ...{ ordersPerRound: 8, kills: 3, databaseKills: 1, reorgs: 3, suspensions: 1 },
}
export const full: Size = {
  ...{ ordersPerRound: 10, kills: 150, databaseKills: 6, reorgs: 40, suspensions: 5 },
}

/** The actions of the merchant and the payer of an order. */
export type OrderKind =
  | 'paid_by_reference'
  | 'paid_by_amount'
  | 'paid_in_parts'
  | 'paid_twice'
  /** Its payment has no reference and another amount; the merchant assigns it. */
  | 'paid_by_assignment'
  | 'underpaid'
  | 'canceled'
  | 'paid_after_cancel'
  | 'left'

export type Order = {
  readonly kind: OrderKind
  readonly merchant: number
  /** Smallest units. */
  readonly price: number
  /** The first server to call. */
  readonly server: number
  /** The first request is aborted before its response can arrive. */
  readonly isImpatient: boolean
  /** Its checkout holds a request until something changes. */
  readonly isHeld: boolean
}

export type ReorgKind = 'dropped' | 'mined_again' | 'replaced'

export type Fault =
  | { readonly type: 'server_killed'; readonly server: number }
  | { readonly type: 'database_killed' }
  | { readonly type: 'reorg'; readonly depth: number; readonly kind: ReorgKind }
  | { readonly type: 'follower_suspended' }

/** `isFrozen`: the chain seems to stand still for the whole round. */
type ProviderConditions = ProviderFaults & { readonly isFrozen?: true }

export type Round = {
  readonly orders: readonly Order[]
  /** Each strikes when so many orders of the round have been placed. */
  readonly faults: readonly { readonly after: number; readonly fault: Fault }[]
  /** The conditions of both providers, from the start of the round on. */
  readonly providers: readonly [ProviderConditions, ProviderConditions]
  /** Whether the receivers of webhooks fail. */
  readonly receivers: 'well' | 'faulty'
  /** The next round begins before the servers that were killed are up again. */
  readonly isHurried: boolean
}

export const servers = 3
export const merchants = 2

const kinds: readonly (readonly [number, OrderKind])[] = [
  [5, 'paid_by_reference'],
  [4, 'paid_by_amount'],
  [2, 'paid_in_parts'],
  [2, 'paid_twice'],
  [2, 'paid_by_assignment'],
  [1, 'underpaid'],
  [2, 'canceled'],
  [1, 'paid_after_cancel'],
  [2, 'left'],
]

/** More than any chain of a run has. */
const allBlocks = 1_000_000

/** A quarter of all transactions, the same for both providers. */
const aQuarter = { has: (txHash: string) => '0123'.includes(txHash.at(-1) ?? '') }

/** Each may strike both providers at once. */
const passing: readonly (readonly [number, ProviderConditions])[] = [
  [8, {}],
  [3, { emptyLogs: 2 }],
  [2, { behind: 4 }],
  [1, { behind: 20 }],
  [2, { page: 429 }],
  [2, { page: 502 }],
  [1, { page: 200 }],
  [1, { hang: true }],
  [1, { hangBody: true }],
  [1, { reset: true }],
  [2, { leaveOut: true }],
  [1, { duplicateLogs: true }],
  [1, { noReceipts: true }],
  [3, { unknown: aQuarter }],
  [2, { isFrozen: true }],
]
/** A provider that never has any logs is detected by the other provider. */
const silent: ProviderFaults = { emptyLogs: allBlocks }

/** All that happens in a run; the same for the same seed. */
export function drawPlan(seed: number, size: Size): Round[] {
  const { int } = random(seed, 'faults')
  const rounds = Math.max(size.kills, size.databaseKills, size.reorgs, size.suspensions, 1)
  const faults: Fault[][] = Array.from({ length: rounds }, () => [])
  spread(size.kills, () => ({ type: 'server_killed', server: int(0, servers - 1) }))
  spread(size.reorgs, (index) => ({
    type: 'reorg',
    depth: int(1, 8),
    kind: (['dropped', 'mined_again', 'replaced'] as const)[index % 3] ?? 'dropped',
  }))
  spread(size.databaseKills, () => ({ type: 'database_killed' }))
  spread(size.suspensions, () => ({ type: 'follower_suspended' }))
  return faults.map((ofRound, round) => drawRound(seed, round, ofRound, size))

  function spread(count: number, draw: (index: number) => Fault): void {
    const offset = int(0, rounds - 1)
    for (let index = 0; index < count; index += 1) {
      faults[(offset + Math.floor((index * rounds) / count)) % rounds]?.push(draw(index))
    }
  }
}

function drawRound(
  seed: number,
  round: number,
  faults: readonly Fault[],
  { ordersPerRound }: Size,
): Round {
  const { int, weighted, chance, pick } = random(seed, 'round', round)
  const orders = Array.from({ length: ordersPerRound }, (): Order => {
    return {
      kind: weighted(kinds),
      merchant: int(0, merchants - 1),
      price: int(500, 5_000) * 10_000,
      server: int(0, servers - 1),
      isImpatient: chance(0.2),
      isHeld: chance(0.3),
    }
  })
  const isQuiet = chance(0.4)
  const drawProvider = (): ProviderConditions => (isQuiet ? {} : weighted(passing))
  const isSilent = !isQuiet && chance(0.2)
  const isAlike = !isQuiet && chance(0.2)
  const alike = pick([{ unknown: aQuarter }, { isFrozen: true }] as const)
  return {
    orders,
    faults: faults
      .map((fault) => ({ after: int(1, ordersPerRound), fault }))
      .sort((a, b) => a.after - b.after),
    providers: isSilent
      ? pick([[silent, {}] as const, [{}, silent] as const])
      : isAlike
        ? [alike, alike]
        : [drawProvider(), drawProvider()],
    receivers: chance(0.6) ? 'faulty' : 'well',
    isHurried: chance(0.3),
  }
}
