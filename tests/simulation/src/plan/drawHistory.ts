import { drawProgram, drawTransaction } from './drawTransaction.ts'
import type {
  Action,
  EarlyPayment,
  History,
  MerchantRequest,
  RefundRequest,
  WalletChoice,
} from './history.ts'
import { type Random, random } from './random.ts'

/** Few distinct prices, so that intents of the same amount meet at a wallet; some are the payable amounts of others. */
const prices = [1, 100, 9_999, 10_000, 10_100, 25_000_000, 25_000_000, 25_000_000, 25_000_100]
/** The greatest price and the price below it: too near to the end for more than one or two payable amounts. */
const greatest = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1]

/** The history of one wallet, from its own stream of randomness. */
export function drawHistory(seed: number, wallet: number, steps: number): History {
  const dice = random(seed, 'history', wallet)
  const isGreat = dice.chance(0.08)
  const intents = dice.weighted([
    [isGreat ? 0 : 45, 1],
    [28, 2],
    [12, 3],
    [8, 4],
    [4, 5],
    [3, 6],
  ])
  const choices = isGreat ? greatest : prices
  const price = dice.pick(choices)
  const home = drawWallet(dice)
  const actions: Exclude<Action, EarlyPayment>[] = []
  let transaction = 0
  for (let intent = 0; intent < intents; intent += 1) {
    let step = dice.int(0, Math.floor(steps * 0.75))
    const copying = random(seed, 'copy', wallet, intent)
    const like = intent > 0 && copying.chance(0.25) ? copying.int(0, intent - 1) : null
    const during = dice.chance(0.1)
    actions.push({
      type: 'create',
      step,
      during,
      intent,
      amount: dice.chance(0.7) ? price : dice.pick(choices),
      like,
      lane: dice.pick(['sdk', 'sdk', isGreat ? 'sdk' : 'manual', 'manual']),
      minutes: dice.pick([5, 5, 15, 30, 60]),
      confirmations: dice.weighted([
        [1, 1],
        [2, 3],
        [5, 5],
        [1, 12],
        [2, 20],
      ]),
      wallet: dice.chance(0.75) ? home : drawWallet(dice),
      sibling: dice.chance(0.06),
    })
    // The next step can pay intents that were created while the chain was read.
    if (during) step += 1
    actions.push(...drawMerchantRequests(dice, intent, step, steps))
    actions.push(...drawRefunds(random(seed, 'refunds', wallet, intent), intent, step, steps))
    if (dice.chance(isGreat ? 0.7 : 0.15)) {
      const payer = dice.int(0, 2)
      const announced = {
        step: step + dice.int(0, 2),
        during: dice.chance(0.2),
      }
      actions.push({ type: 'announce', ...announced, intent, payer })
    }
    const sends = dice.weighted([
      [1, 0],
      [6, 1],
      [2, 2],
      [1, 3],
    ])
    for (let sent = 0; sent < sends; sent += 1) {
      step = Math.min(steps - 1, step + (dice.chance(0.5) ? dice.int(0, 2) : dice.int(0, 12)))
      const drawn = drawTransaction(dice, intent, intents)
      const programDice = random(seed, 'program', wallet, transaction)
      const program =
        programDice.chance(like === null ? 0.2 : 0.6) &&
        drawProgram(programDice, { intent, intents, step })
      if (program) actions.push({ type: 'hand_in', transaction, ...program.handedIn })
      actions.push({ type: 'send', step, transaction, ...(program ? program.sent : drawn) })
      transaction += 1
    }
  }
  actions.sort((a, b) => a.step - b.step)
  if (!dice.chance(0.15)) return { wallet, actions }
  return { wallet, actions: [{ type: 'pay_early', wallet: home, amount: price }, ...actions] }
}

/** Refunds of an intent that is there from `step` on, from a stream of their own. */
function drawRefunds(dice: Random, intent: number, step: number, steps: number): RefundRequest[] {
  const count = dice.weighted([
    [4, 0],
    [4, 1],
    [2, 3],
  ])
  return Array.from({ length: count }, (_, refund) => ({
    ...{ type: 'refund', intent, refund: intent * 10 + refund, during: dice.chance(0.3) },
    step: Math.min(steps + 1, step + dice.int(2, 30)),
    divisor: dice.pick([1, 1, 2, 3]),
  }))
}

function drawWallet(dice: Random): WalletChoice {
  return dice.weighted<WalletChoice>([
    [70, 'configured'],
    [15, 'first'],
    [4, 'second'],
    [5, 'shared'],
    [2, 'neighbours'],
    [4, 'neighbours_first'],
  ])
}

/** The merchant's requests for an intent that exists from `step` on. */
function drawMerchantRequests(
  dice: Random,
  intent: number,
  step: number,
  steps: number,
): MerchantRequest[] {
  const when = (from: number, to: number) => ({
    step: Math.min(steps + 1, step + dice.int(from, to)),
    during: dice.chance(0.3),
    intent,
    stranger: dice.chance(0.05),
  })
  const requests: MerchantRequest[] = []
  if (dice.chance(0.14)) requests.push({ type: 'cancel', ...when(0, 6) })
  for (let count = dice.int(0, 2); count > 0; count -= 1) {
    if (dice.chance(0.2)) requests.push({ type: 'accept', ...when(1, 40) })
    if (dice.chance(0.3)) {
      const of = dice.weighted([
        [12, 'unmatched'],
        [6, 'intended'],
        [7, 'extra'],
        [1, 'neighbours'],
      ] as const)
      requests.push({ type: 'assign', ...when(1, 30), of, which: dice.next() })
    }
  }
  return requests
}
