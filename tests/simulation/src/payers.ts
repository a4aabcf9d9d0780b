import { type Actors, chosenWallet, payerOf, walletOf } from './actors.ts'
import type { EarlyPayment, PartPlan, Payment } from './history.ts'
import type { Promised } from './oracle/knowledge.ts'
import { type Random, random, randomHash } from './random.ts'
import type { Part, Transaction } from './transaction.ts'

/** A bare transfer of an amount that somebody may ask for later. */
export function composeEarly(
  { plan, knowledge }: Actors,
  wallet: number,
  action: EarlyPayment,
): Transaction {
  const part: Part = {
    from: payerOf(plan.seed, wallet, 0),
    to: chosenWallet(plan.seed, wallet, action.wallet),
    amount: BigInt(action.amount),
    lookalike: false,
    called: true,
    moved: true,
    reference: null,
    tail: '',
    before: '',
  }
  const hash = randomHash(plan.seed, 'early transaction hash', wallet)
  return { hash, moment: knowledge.chain.tick(), parts: [part], gap: 0 }
}

/** The transaction that a payer sends; null when it is for an intent that was never created. */
export function compose(actors: Actors, wallet: number, action: Payment): Transaction | null {
  const { seed } = actors.plan
  const dice = random(seed, 'transaction', wallet, action.transaction)
  const parts = action.parts.flatMap((part) => {
    const intent = actors.intents.get(`${wallet}:${part.intent}`)
    return intent ? [composePart(actors, intent, part, action.bundled, dice)] : []
  })
  if (parts.length === 0) return null
  return {
    hash: randomHash(seed, 'transaction hash', wallet, action.transaction),
    moment: actors.knowledge.chain.tick(),
    parts,
    gap: dice.int(0, 2),
  }
}

function composePart(
  actors: Actors,
  intent: Promised,
  plan: PartPlan,
  bundled: boolean,
  dice: Random,
): Part {
  const { seed, network } = actors.plan
  const neighbour = intent.history + 1
  const foreign = actors.intents.get(`${neighbour}:0`)?.reference ?? randomHash(seed, 'foreign')
  const own = intent.reference.slice(2)
  const surroundings = () => (bundled ? dice.bytes(dice.int(0, 70)) : '')
  const part = {
    from: payerOf(seed, intent.history, plan.payer),
    to: plan.misdirected ? walletOf(seed, neighbour) : intent.wallet,
    amount: amountOf(intent, plan.amount),
    lookalike: plan.lookalike && network.lookalike !== null,
    called: plan.called,
    moved: plan.moved,
    before: surroundings(),
  } as const
  switch (plan.reference) {
    case 'own':
      return {
        ...part,
        reference: intent.reference,
        tail: own + surroundings(),
      }
    case 'foreign':
      return {
        ...part,
        reference: foreign,
        tail: foreign.slice(2) + surroundings(),
      }
    case 'truncated':
      return {
        ...part,
        reference: null,
        tail: truncated(own, dice.int(1, 31), bundled),
      }
    case 'half_byte_off':
      return {
        ...part,
        reference: null,
        before: `${part.before}0`,
        tail: `${own}0`,
      }
    case 'none':
      return { ...part, reference: null, tail: surroundings() }
  }
}

/** The first bytes of a reference. What a bundle goes on with must not complete it by chance. */
function truncated(reference: string, bytes: number, bundled: boolean): string {
  const kept = reference.slice(0, 2 * bytes)
  const other = reference.slice(2 * bytes, 2 * bytes + 2) === '00' ? '01' : '00'
  return bundled ? kept + other : kept
}

function amountOf(intent: Promised, amount: PartPlan['amount']): bigint {
  switch (amount) {
    case 'payable':
      return intent.payable
    case 'price':
      return intent.amount
    case 'one_less':
      return intent.payable - 1n
    case 'half':
      return intent.payable / 2n
    case 'double':
      return intent.payable * 2n
    case 'zero':
      return 0n
    default:
      return BigInt(amount)
  }
}
