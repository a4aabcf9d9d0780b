import { chains } from '@payment-intents/contract'
import { type ChainConditions, drawConditions } from '../chain/chainConditions.ts'
import { drawHistory } from './drawHistory.ts'
import type { History } from './history.ts'
import { random } from './random.ts'

/** Everything that happens in a world, as data: failures are shrunk to it and replayed from it. */
export type Plan = {
  readonly seed: number
  readonly network: (typeof chains)[number]
  readonly histories: readonly History[]
  readonly conditions: readonly ChainConditions[]
}

const steps = 40

/** The plan of a world. Each history and the conditions have streams of randomness of their own. */
export function drawPlan(seed: number, wallets: number): Plan {
  return {
    seed,
    network: random(seed, 'network').pick(chains),
    histories: Array.from({ length: wallets }, (_, wallet) => drawHistory(seed, wallet, steps)),
    conditions: drawConditions(seed, steps),
  }
}
