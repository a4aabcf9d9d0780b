import type { Lane } from '@payment-intents/contract'
import { type Random, random } from './random.ts'

/** What happens at one merchant's wallet. Intents are numbered within the history. */
export type Action =
  | {
      readonly type: 'create'
      readonly step: number
      readonly intent: number
      readonly amount: number
      readonly lane: Lane
      readonly minutes: number
      readonly confirmations: number
    }
  | {
      readonly type: 'send'
      readonly step: number
      /** Numbered within the history; names the transaction's hash. */
      readonly transaction: number
      /** Inside other calldata at arbitrary offsets, as a smart account sends; else the call is all there is. */
      readonly bundled: boolean
      readonly parts: readonly PartPlan[]
    }

/** A part of a transaction, before it is known which amounts its intents were given. */
export type PartPlan = {
  readonly intent: number
  readonly amount: 'payable' | 'price' | 'one_less' | 'half' | 'double' | 'zero' | number
  readonly reference: 'own' | 'none' | 'truncated' | 'foreign' | 'half_byte_off'
  readonly called: boolean
  readonly moved: boolean
  /** To the neighbour's wallet, with this intent's terms. */
  readonly misdirected: boolean
}

export type History = { readonly wallet: number; readonly actions: readonly Action[] }

/** Few distinct prices, so that intents of the same amount meet at a wallet. */
const prices = [1, 50, 9_999, 10_000, 25_000_000, 25_000_000, 25_000_100]

/** The history of one wallet, from its own stream of randomness. */
export function drawHistory(seed: number, wallet: number, steps: number): History {
  const dice = random(seed, 'history', wallet)
  const intents = dice.weighted([
    [45, 1],
    [28, 2],
    [12, 3],
    [8, 4],
    [4, 5],
    [3, 6],
  ])
  const price = dice.pick(prices)
  const actions: Action[] = []
  let transaction = 0
  for (let intent = 0; intent < intents; intent += 1) {
    let step = dice.int(0, Math.floor(steps * 0.75))
    actions.push({
      type: 'create',
      step,
      intent,
      amount: dice.chance(0.7) ? price : dice.pick(prices),
      lane: dice.pick(['sdk', 'manual']),
      minutes: dice.pick([5, 5, 15, 30, 60]),
      confirmations: dice.weighted([
        [1, 1],
        [2, 3],
        [5, 5],
        [1, 12],
        [2, 20],
      ]),
    })
    const sends = dice.weighted([
      [1, 0],
      [6, 1],
      [2, 2],
      [1, 3],
    ])
    for (let sent = 0; sent < sends; sent += 1) {
      step = Math.min(steps - 1, step + (dice.chance(0.5) ? dice.int(0, 2) : dice.int(0, 12)))
      actions.push({ type: 'send', step, transaction, ...drawTransaction(dice, intent, intents) })
      transaction += 1
    }
  }
  return { wallet, actions: actions.sort((a, b) => a.step - b.step) }
}

function drawTransaction(
  dice: Random,
  intent: number,
  intents: number,
): { bundled: boolean; parts: PartPlan[] } {
  if (dice.chance(0.65)) {
    const part = drawPart(dice, intent)
    return {
      bundled: false,
      parts: [{ ...part, moved: true, called: part.reference !== 'none' || dice.chance(0.8) }],
    }
  }
  const parts: PartPlan[] = []
  for (let count = dice.int(1, 6); count > 0; count -= 1) {
    const earlier = parts.at(-1)
    const repeated = earlier && dice.chance(0.25)
    const any = dice.chance(0.6) ? intent : dice.int(0, intents - 1)
    parts.push({
      ...(repeated ? earlier : drawPart(dice, any)),
      called: dice.chance(0.8),
      moved: dice.chance(0.85),
      misdirected: dice.chance(0.08),
    })
  }
  return { bundled: true, parts }
}

function drawPart(dice: Random, intent: number): PartPlan {
  return {
    intent,
    amount: dice.weighted<PartPlan['amount']>([
      [60, 'payable'],
      [8, 'price'],
      [7, 'half'],
      [5, 'one_less'],
      [5, 'double'],
      [3, 'zero'],
      [5, dice.int(1, 30_000)],
    ]),
    reference: dice.weighted<PartPlan['reference']>([
      [50, 'own'],
      [32, 'none'],
      [6, 'truncated'],
      [6, 'foreign'],
      [3, 'half_byte_off'],
    ]),
    called: true,
    moved: true,
    misdirected: false,
  }
}
