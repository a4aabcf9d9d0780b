import type { Address } from '@payment-intents/contract'
import type { Envelope, Part, Transaction } from '../chain/transaction.ts'
import { type Actors, chosenWallet, drawnNonce, payerOf, relayerOf } from './actors.ts'
import { composePart } from './composePart.ts'
import type { Plan } from './drawPlan.ts'
import type { AttackPlan, EarlyPayment, Payment } from './history.ts'
import { type Random, random, randomHash } from './random.ts'

/** A bare transfer of an amount that somebody may request later. */
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
  return { hash, moment: knowledge.chain.advanceClock(), ...called, parts: [part], gap: 0 }
}

/** The transaction that a payer sends; null when it is for an intent that was never created. */
export function compose(actors: Actors, wallet: number, action: Payment): Transaction | null {
  const { seed } = actors.plan
  const dice = random(seed, 'transaction', wallet, action.transaction)
  const envelope = action.envelope === 'relay' ? 'contract' : action.envelope
  const drawn = drawnNonce(seed, wallet, action.transaction)
  const composed = action.parts.flatMap((part) => {
    const intent = actors.intents.get(`${wallet}:${part.intent}`)
    return intent ? [composePart(actors, intent, part, envelope, { dice, drawn })] : []
  })
  const [first] = composed
  if (!first) return null
  const relayer = relayerOf(seed, wallet)
  const isDirect = envelope === 'token' || (envelope === 'contract' && action.envelope !== 'relay')
  // A payer can also submit their own authorization.
  const submits = isDirect || (envelope === 'authorization' && dice.chance(0.3))
  const sender = submits ? first.from : relayer
  const isAuthorized = envelope === 'authorization' || action.envelope === 'relay'
  const parts = composed.map((part): Part => {
    // A Safe executes for itself alone.
    const from = envelope === 'safe' ? first.from : part.from
    const signer = signerOf(envelope, sender, from)
    const nonce = isAuthorized && part.moved ? part.nonce : null
    // A signed authorization is not a call, so nothing follows it.
    const plain = { called: false, reference: null } as const
    return { ...part, from, signer, nonce, ...(envelope === 'authorization' && plain) }
  })
  // A payer's own transaction has only the payer's calls.
  const attacks = isDirect
    ? []
    : composeAttack(actors, wallet, action.attack, { parts, envelope, relayer })
  return {
    hash: randomHash(seed, 'transaction hash', wallet, action.transaction),
    moment: actors.knowledge.chain.advanceClock(),
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

/** The sender of a transaction authorised all of it, apart from what wallets sign for relayers. */
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
      isAttack: true,
      signer: isSigned ? relayer : null,
      reference: order.reference,
      nonce: null,
      tail: order.reference.slice(2),
      before: '',
    }))
}
