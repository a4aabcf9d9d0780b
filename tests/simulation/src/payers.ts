import type { Address } from '@payment-intents/contract'
import { type Actors, chosenWallet, payerOf, relayerOf, walletOf } from './actors.ts'
import type { AttackPlan, EarlyPayment, PartPlan, Payment } from './history.ts'
import type { Promised } from './oracle/knowledge.ts'
import type { Plan } from './plan.ts'
import { type Random, random, randomHash } from './random.ts'
import type { Envelope, Part, Transaction } from './transaction.ts'

/** A bare transfer of an amount that somebody may ask for later. */
export function composeEarly(
  { plan, knowledge }: Actors,
  wallet: number,
  action: EarlyPayment,
): Transaction {
  const from = payerOf(plan.seed, wallet, 0)
  const part: Part = {
    from,
    to: chosenWallet(plan.seed, wallet, action.wallet),
    amount: BigInt(action.amount),
    lookalike: false,
    called: true,
    moved: true,
    signer: from,
    reference: null,
    nonce: null,
    tail: '',
    before: '',
  }
  const hash = randomHash(plan.seed, 'early transaction hash', wallet)
  const called = { sender: from, to: tokenOf(plan, false), envelope: 'token' } as const
  return { hash, moment: knowledge.chain.tick(), ...called, parts: [part], gap: 0 }
}

/** The transaction that a payer sends; null when it is for an intent that was never created. */
export function compose(actors: Actors, wallet: number, action: Payment): Transaction | null {
  const { seed } = actors.plan
  const dice = random(seed, 'transaction', wallet, action.transaction)
  const envelope = action.envelope === 'relay' ? 'contract' : action.envelope
  const drawn = action.parts.flatMap((part) => {
    const intent = actors.intents.get(`${wallet}:${part.intent}`)
    return intent ? [composePart(actors, intent, part, envelope, dice)] : []
  })
  const [first] = drawn
  if (!first) return null
  const relayer = relayerOf(seed, wallet)
  const isOwn = envelope === 'token' || (envelope === 'contract' && action.envelope !== 'relay')
  // Who is paid for can submit his own authorization too.
  const submits = isOwn || (envelope === 'authorization' && dice.chance(0.3))
  const sender = submits ? first.from : relayer
  const isAuthorized = envelope === 'authorization' || action.envelope === 'relay'
  const parts = drawn.map((part): Part => {
    // A Safe executes for itself alone.
    const from = envelope === 'safe' ? first.from : part.from
    const signer = signerOf(envelope, sender, from)
    const nonce = isAuthorized && part.moved ? part.nonce : null
    // A signed authorization is not a call, so nothing stands behind it.
    const plain = { called: false, reference: null } as const
    return { ...part, from, signer, nonce, ...(envelope === 'authorization' && plain) }
  })
  // What a payer sends by himself holds what he wants alone.
  const attacks = isOwn
    ? []
    : composeAttack(actors, wallet, action.attack, { parts, envelope, relayer })
  return {
    hash: randomHash(seed, 'transaction hash', wallet, action.transaction),
    moment: actors.knowledge.chain.tick(),
    sender,
    to: calledBy(actors.plan, envelope, first, dice),
    envelope,
    parts: action.attack?.first ? [...attacks, ...parts] : [...parts, ...attacks],
    gap: dice.int(0, 2),
  }
}

function tokenOf({ network }: Plan, lookalike: boolean): Address {
  const token = lookalike && network.lookalike ? network.lookalike.address : network.usdc
  return token.toLowerCase() as Address
}

function calledBy(plan: Plan, envelope: Envelope, first: Part, dice: Random): Address | null {
  switch (envelope) {
    case 'token':
    case 'authorization':
      return tokenOf(plan, first.lookalike)
    case 'contract':
      return dice.chance(0.1) ? null : `0x${dice.bytes(20)}`
    case 'entry_point':
      return '0x0000000071727de22e5e9d8baf0edac6f37da032'
    case 'safe':
      return first.from
    case 'delegation':
      return '0xdb9b1e94b5b69df7e401ddbede43491141047db3'
  }
}

/** Whoever sends a transaction authorised all of it, apart from what wallets sign for relayers to carry. */
function signerOf(envelope: Envelope, sender: Address, payer: Address): Address | null {
  if (envelope === 'authorization') return null
  return envelope === 'token' || envelope === 'contract' ? sender : payer
}

/** The attacker's own reference behind a copy of every payment in the transaction. */
function composeAttack(
  { intents }: Actors,
  wallet: number,
  attack: AttackPlan | null,
  { parts, envelope, relayer }: { parts: readonly Part[]; envelope: Envelope; relayer: Address },
): Part[] {
  const order = attack && intents.get(`${wallet}:${attack.intent}`)
  if (!order) return []
  const canOperate = envelope === 'entry_point' || envelope === 'delegation'
  const isSigned = envelope === 'contract' || (canOperate && attack.as === 'operation')
  return parts
    .filter(({ moved }) => moved)
    .map((part) => ({
      ...part,
      called: true,
      moved: false,
      signer: isSigned ? relayer : null,
      reference: order.reference,
      nonce: null,
      tail: order.reference.slice(2),
      before: '',
    }))
}

function composePart(
  actors: Actors,
  intent: Promised,
  plan: PartPlan,
  envelope: Envelope,
  dice: Random,
): Part {
  const { seed, network } = actors.plan
  const neighbour = intent.history + 1
  const foreign = actors.intents.get(`${neighbour}:0`)?.reference ?? randomHash(seed, 'foreign')
  const other = (actors.intents.get(`${intent.history}:${plan.intent === 0 ? 1 : 0}`) ?? intent)
    .reference
  const bundled = envelope !== 'token'
  const surroundings = () => (bundled ? dice.bytes(dice.int(0, 70)) : '')
  const nonces = {
    own: intent.reference,
    other,
    random: `0x${dice.bytes(32)}`,
    none: null,
  } as const
  const part = {
    from: payerOf(seed, intent.history, plan.payer),
    to: plan.misdirected ? walletOf(seed, neighbour) : intent.wallet,
    amount: amountOf(intent, plan.amount),
    lookalike: plan.lookalike && network.lookalike !== null,
    called: plan.called,
    moved: plan.moved,
    signer: null,
    nonce: nonces[plan.nonce],
    before: surroundings(),
  } as const
  const own = intent.reference.slice(2)
  const named = { own: intent.reference, other, foreign }
  switch (plan.reference) {
    case 'own':
    case 'other':
    case 'foreign': {
      const reference = named[plan.reference]
      return { ...part, reference, tail: reference.slice(2) + surroundings() }
    }
    case 'truncated':
      return { ...part, reference: null, tail: truncated(own, dice.int(1, 31), bundled) }
    case 'half_byte_off':
      return { ...part, reference: null, before: `${part.before}0`, tail: `${own}0` }
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
