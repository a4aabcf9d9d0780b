import {
  type DbErrorClass,
  drawDbError,
  drawFaults,
  type Faults,
  noFaults,
} from '../plan/faults.ts'
import { random } from '../plan/random.ts'
import type { ReplacedTransactions } from './chain.ts'

/** Conditions of one step: first of the chain, then of the one reading of it. */
export type ChainConditions = {
  readonly fork:
    | { type: 'none' }
    | { type: 'reorg'; depth: number; replaced: ReplacedTransactions }
    | { type: 'revive' }
  readonly mine: number
  /** Seconds that pass before the first of these blocks. */
  readonly jump: number
  readonly faults: Faults
  readonly dbError: DbErrorClass
  /** No process follows the chain during this step. */
  readonly outage: boolean
}

export const calm: ChainConditions = {
  fork: { type: 'none' },
  mine: 1,
  jump: 0,
  faults: noFaults,
  dbError: { type: 'none' },
  outage: false,
}

const minute = 60
const hour = 60 * minute

/** Draws the conditions of a world. A fault lasts for a few steps where that of a real provider would. */
export function drawConditions(seed: number, steps: number): ChainConditions[] {
  const dice = random(seed, 'conditions')
  const conditions: ChainConditions[] = []
  let faults = noFaults
  let outage = 0
  // Near the end, a pause after which no intent waits for anything.
  const pause = dice.chance(0.15) ? 27 * hour : 0
  for (let step = 0; step < steps; step += 1) {
    if (dice.chance(0.6)) faults = drawFaults(dice)
    if (outage > 0) outage -= 1
    else if (dice.chance(0.03)) outage = dice.int(1, 4)
    conditions.push({
      fork: drawFork(dice),
      mine:
        outage > 0
          ? dice.weighted([
              [9, dice.int(1, 40)],
              [1, dice.int(100, 400)],
            ])
          : dice.weighted([
              [6, dice.int(0, 4)],
              [2, dice.int(4, 12)],
              [1, dice.int(12, 30)],
            ]),
      jump: step === steps - 2 ? pause : drawJump(dice),
      faults,
      dbError: drawDbError(dice),
      outage: outage > 0,
    })
  }
  return conditions
}

function drawFork(dice: ReturnType<typeof random>): ChainConditions['fork'] {
  const depth = dice.weighted([
    [5, dice.int(1, 4)],
    [3, dice.int(5, 20)],
    [1, dice.int(21, 64)],
  ])
  const replaced = dice.pick([
    'same_order',
    'shuffled',
    'later',
    'dropped',
    'mixed',
    'mixed',
  ] as const)
  return dice.weighted<ChainConditions['fork']>([
    [75, { type: 'none' }],
    [20, { type: 'reorg', depth, replaced }],
    [5, { type: 'revive' }],
  ])
}

function drawJump(dice: ReturnType<typeof random>): number {
  return dice.weighted([
    [90, 0],
    [4, dice.int(1, 5) * minute],
    [4, dice.int(5, 40) * minute],
    [1, dice.int(1, 20) * hour],
    [1, dice.int(24, 30) * hour],
  ])
}
