import type { Address } from '@payment-intents/contract'
import { nameRefundDestination } from '@payment-intents/core'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import type { Hex } from 'viem'
import type { Part } from './chain/transaction.ts'
import { expectCovered } from './checkRefunds.ts'
import type { PromisedRefund } from './oracle/knowledge.ts'
import { type Actors, payerOf, walletOf } from './plan/actors.ts'
import type { RefundRequest } from './plan/history.ts'
import { random, randomHash } from './plan/random.ts'
import { refundService, requestAsMerchant, unlessRefused } from './refundService.ts'
import { Violation } from './violation.ts'

/**
 * Requests a refund as a merchant. Refunds may never exceed the amount that has come in for good.
 *
 * @returns the id of the intent, whose representation changes; null if nothing was created
 * @throws {Violation} if more is refunded than was received
 */
export async function requestRefund(
  db: Db,
  actors: Actors,
  step: number,
  wallet: number,
  action: RefundRequest,
): Promise<string | null> {
  const intent = actors.intents.get(`${wallet}:${action.intent}`)
  if (!intent || intent.chainId !== actors.knowledge.chainId) return null
  const { seed } = actors.plan
  const isNamed = random(seed, 'named', wallet, action.refund).chance(0.7)
  const destination = isNamed ? destinationOf(seed, wallet, action.refund, 0) : null
  const amount = intent.amount / BigInt(action.divisor)
  const body = {
    ...{ payment_intent: intent.id, ...(destination ? { destination } : {}) },
    ...(action.divisor === 1 ? {} : { amount_units: Number(amount) }),
  }
  const created = await requestAsMerchant(db, actors, 'createRefund', { wallet, id: '', body })
  if (!created) return null
  actors.knowledge.refunds.push({
    ...{ id: created.id, history: wallet, number: action.refund, intentId: intent.id },
    ...{ reference: created.refund_reference, amount: BigInt(created.amount_units) },
    ...{ confirmations: created.confirmations_required, wallet: walletOf(seed, wallet) },
    ...{ destination, isConfirmed: isNamed, claims: [], signed: [], byHand: [] },
  })
  await expectCovered(db, step, wallet, intent.id)
  return intent.id
}

/** Lets merchants, payers and relayers act on refunds in one step. @returns the intents whose representation changes */
export async function followRefunds(
  db: Db,
  actors: Actors,
  step: number,
  count: (name: string) => void,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>()
  // Histories request refunds concurrently: the order of the responses must decide nothing.
  const refunds = actors.knowledge.refunds.toSorted(
    (a, b) => a.history - b.history || a.number - b.number,
  )
  for (const refund of refunds) {
    const dice = random(actors.plan.seed, 'refund step', refund.history, refund.number, step)
    const action = dice.weighted([
      [30, 'none'],
      [20, 'sign'],
      [20, 'broadcast'],
      [3, 'cancel'],
      [4, 'rename'],
      [6, 'claim'],
      [6, 'confirm'],
      [5, 'pay_by_hand'],
      [8, 'attach'],
    ] as const)
    if (action === 'none') continue
    const done = await actions[action](db, actors, refund, step)
    if (!done) continue
    count(`refund: ${action}`)
    changed.add(refund.intentId)
  }
  return changed
}

type RefundAction = (
  db: Db,
  actors: Actors,
  refund: PromisedRefund,
  step: number,
) => Promise<boolean>

const actions: Record<
  'sign' | 'broadcast' | 'cancel' | 'rename' | 'claim' | 'confirm' | 'pay_by_hand' | 'attach',
  RefundAction
> = {
  async sign(db, actors, refund, step) {
    const { id, history: wallet, wallet: from, destination, amount, reference } = refund
    if (!destination) return false
    const validBefore = actors.knowledge.chain.head.timestamp + 600
    const authorization = {
      ...{ from, to: destination, value: String(amount), nonce: reference },
      ...{ validAfter: '0', validBefore: String(validBefore) },
    }
    // A signature for an account with code: the chain decides which it accepts.
    const body = { authorization, signature: `0x${'11'.repeat(66)}` }
    const signed = await requestAsMerchant(db, actors, 'authorizeRefund', { wallet, id, body })
    if (signed?.status !== 'pending') return false
    expectConfirmed(refund, step)
    refund.signed.push({ to: destination, validBefore })
    return true
  },
  async broadcast(_db, actors, refund, step) {
    const last = refund.signed.at(-1)
    const part = partOf(refund)
    if (!last || !part) return false
    const { to, validBefore } = last
    const name = `${refund.history} ${refund.number} ${step}`
    send(actors, { ...part, to, nonce: refund.reference, validBefore }, name)
    return true
  },
  async cancel(db, actors, refund, step) {
    const { id, history: wallet, signed } = refund
    const canceled = await requestAsMerchant(db, actors, 'cancelRefund', { wallet, id, body: {} })
    const { timestamp } = actors.knowledge.chain.head
    if (canceled && signed.some(({ validBefore }) => validBefore > timestamp)) {
      throw new Violation('refunds', step, [wallet], `${id} was canceled while it could be paid`)
    }
    return canceled !== null
  },
  async rename(db, actors, refund, step) {
    const { id, history: wallet } = refund
    const destination = destinationOf(actors.plan.seed, wallet, 0, step)
    const renamed = await requestAsMerchant(db, actors, 'updateRefund', {
      wallet,
      id,
      body: { destination },
    })
    if (renamed) Object.assign(refund, { destination, isConfirmed: true })
    return renamed !== null
  },
  async claim(db, actors, refund, step) {
    const { id, history: wallet } = refund
    const destination = destinationOf(actors.plan.seed, wallet, -1, step)
    const service = refundService(db, actors, '')
    const body = { token: '', destination }
    const claimed = await unlessRefused(() => nameRefundDestination(service, id, body))
    if (claimed === null) return false
    refund.claims.push(destination)
    // Repeating a fixed value changes nothing.
    if (destination === refund.destination) return true
    if (refund.isConfirmed) {
      const what = `${id}: its payer replaced a destination that its merchant has fixed`
      throw new Violation('refunds', step, [wallet], what)
    }
    refund.destination = destination
    return true
  },
  async confirm(db, actors, refund, step) {
    const { id, history: wallet, claims } = refund
    // The merchant may have looked before the payer named another destination.
    const isLate = random(actors.plan.seed, 'looked', wallet, step).chance(0.3)
    const destination = claims.at(isLate ? -2 : -1)
    if (!destination) return false
    const body = { destination }
    const confirmed = await requestAsMerchant(db, actors, 'confirmRefund', { wallet, id, body })
    if (!confirmed) return false
    if (destination !== refund.destination) {
      const what = `${id}: ${destination} was confirmed, and ${refund.destination} is its destination`
      throw new Violation('refunds', step, [wallet], what)
    }
    refund.isConfirmed = true
    return true
  },
  async pay_by_hand(_db, actors, refund, step) {
    const part = partOf(refund)
    if (refund.signed.length > 0 || !part) return false
    refund.byHand.push(send(actors, part, `${refund.history} ${refund.number} by hand ${step}`))
    return true
  },
  async attach(db, actors, refund, step) {
    const { id, history: wallet } = refund
    const tx_hash = refund.byHand.at(-1)
    if (!tx_hash) return false
    const body = { tx_hash }
    if (!(await requestAsMerchant(db, actors, 'attachRefund', { wallet, id, body }))) return false
    expectConfirmed(refund, step)
    return true
  },
}

/** A destination that only the payer claims receives nothing. */
function expectConfirmed({ id, history, isConfirmed }: PromisedRefund, step: number): void {
  if (isConfirmed) return
  const what = `${id} is paid to a destination that its merchant has not confirmed`
  throw new Violation('refunds', step, [history], what)
}

/** A payer of the wallet, or the neighbour's wallet, where the refund may pay an intent. */
function destinationOf(seed: number, wallet: number, refund: number, step: number): Address {
  const dice = random(seed, 'destination', wallet, refund, step)
  return dice.chance(0.2) ? walletOf(seed, wallet + 1) : payerOf(seed, wallet, dice.int(0, 2))
}

/** @returns null if nobody has named a destination */
function partOf({ wallet: from, destination: to, amount }: PromisedRefund): Part | null {
  if (!to) return null
  return {
    ...{ from, to, amount, lookalike: false, called: false, moved: true, signer: from },
    ...{ reference: null, nonce: null, tail: '', before: '' },
  }
}

function send({ plan, knowledge }: Actors, part: Part, name: string): Hex {
  const hash = randomHash(plan.seed, 'refund transaction', name)
  const isByHand = part.nonce === null
  knowledge.chain.send({
    ...{ hash, moment: knowledge.chain.advanceClock(), parts: [part], gap: 0 },
    envelope: isByHand ? 'token' : 'authorization',
    sender: isByHand ? part.from : `0x${random(plan.seed, 'submitter').bytes(20)}`,
    to: plan.network.usdc.toLowerCase() as Address,
  })
  return hash
}
