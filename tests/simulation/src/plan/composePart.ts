import type { Hex } from 'viem'
import type { Envelope, Part } from '../chain/transaction.ts'
import type { Promised } from '../oracle/knowledge.ts'
import { type Actors, payerOf, walletOf } from './actors.ts'
import type { PartPlan } from './history.ts'
import { type Random, randomHash } from './random.ts'

/** A part of a transaction, once its intents' amounts are known. */
export function composePart(
  actors: Actors,
  intent: Promised,
  plan: PartPlan,
  envelope: Envelope,
  { dice, drawn }: { dice: Random; drawn: Hex },
): Part {
  const { seed, network } = actors.plan
  const neighbour = intent.history + 1
  const foreign = actors.intents.get(`${neighbour}:0`)?.reference ?? randomHash(seed, 'foreign')
  const other = (actors.intents.get(`${intent.history}:${plan.intent === 0 ? 1 : 0}`) ?? intent)
    .reference
  const bundled = envelope !== 'token'
  const surroundings = () => (bundled ? dice.bytes(dice.int(0, 70)) : '')
  const nonces = {
    intended: intent.reference,
    other,
    random: `0x${dice.bytes(32)}`,
    drawn,
    none: null,
  } as const
  const to = plan.misdirected ? walletOf(seed, neighbour) : intent.wallet
  const part = {
    from: plan.toSelf ? to : payerOf(seed, intent.history, plan.payer),
    to,
    amount: amountOf(intent, plan.amount),
    lookalike: plan.lookalike && network.lookalike !== null,
    called: plan.called,
    moved: plan.moved,
    signer: null,
    nonce: nonces[plan.nonce],
    before: surroundings(),
  } as const
  const referenceDigits = intent.reference.slice(2)
  const named = { intended: intent.reference, other, foreign }
  switch (plan.reference) {
    case 'intended':
    case 'other':
    case 'foreign': {
      const reference = named[plan.reference]
      return { ...part, reference, tail: reference.slice(2) + surroundings() }
    }
    case 'truncated':
      return {
        ...part,
        reference: null,
        tail: truncated(referenceDigits, dice.int(1, 31), bundled),
      }
    case 'half_byte_off':
      return { ...part, reference: null, before: `${part.before}0`, tail: `${referenceDigits}0` }
    case 'none':
      return { ...part, reference: null, tail: surroundings() }
  }
}

/** The first bytes of a reference. What a bundle goes on with must not complete it by chance. */
function truncated(reference: string, bytes: number, bundled: boolean): string {
  const prefix = reference.slice(0, 2 * bytes)
  const alteredByte = reference.slice(2 * bytes, 2 * bytes + 2) === '00' ? '01' : '00'
  return bundled ? prefix + alteredByte : prefix
}

const cent = 10_000n

function amountOf({ amount: price, payable }: Promised, amount: PartPlan['amount']): bigint {
  switch (amount) {
    case 'payable':
      return payable
    case 'price':
      return price
    case 'one_less':
      return payable - 1n
    case 'half':
      return payable / 2n
    case 'double':
      return payable * 2n
    case 'zero':
      return 0n
    case 'dust':
      return price / 150n || 1n
    case 'rounded':
      return ((payable + cent / 2n) / cent) * cent || payable
    case 'less_fee':
      return payable - payable / 40n
    default:
      return BigInt(amount)
  }
}
