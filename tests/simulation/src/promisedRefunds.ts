import type { Address, Refund as RefundResponse } from '@payment-intents/contract'
import {
  type Actor,
  HttpError,
  handlers,
  nameRefundDestination,
  type ObservedTransfer,
  type Service,
  type ServiceRequest,
} from '@payment-intents/core'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { newId } from '@payment-intents/server/src/store/lists/ids.ts'
import { createRefundStore } from '@payment-intents/server/src/store/refunds/refundStore.ts'
import type { Hex } from 'viem'
import type { Log } from './chain/chain.ts'
import type { Part } from './chain/transaction.ts'
import { type Actors, merchantOf, payerOf, walletOf } from './plan/actors.ts'
import type { RefundRequest } from './plan/history.ts'
import { random, randomHash } from './plan/random.ts'
import { Violation } from './violation.ts'

/** A refund as its merchant knows it. */
export type PromisedRefund = {
  readonly id: string
  readonly history: number
  /** Numbered within the history. */
  readonly number: number
  readonly intentId: string
  readonly reference: Hex
  readonly amount: bigint
  readonly confirmations: number
  /** The merchant's wallet, which pays it. */
  readonly wallet: Address
  /** null: nobody has named one. */
  destination: Address | null
  /** Whether the merchant has named or confirmed the destination. */
  isConfirmed: boolean
  /** The destinations that its payer has named, the latest last. */
  readonly claims: Address[]
  /** Unix seconds until which each accepted signature is valid; the latest last. */
  readonly signed: { readonly to: Address; readonly validBefore: number }[]
  /** Transactions that were sent to pay it by hand. */
  readonly byHand: Hex[]
}

/** The parts of a response that matter here. */
type Refunded = Pick<
  RefundResponse,
  'id' | 'status' | 'amount_units' | 'confirmations_required'
> & { readonly refund_reference: Hex }

type Body<Name extends keyof typeof handlers> = ServiceRequest<Name>['body']

/**
 * A merchant's request for a refund. Refunds may never exceed the amount that has come in for good.
 *
 * @returns the intent, which looks different then; null where nothing was created
 * @throws {Violation} when more is refunded than was received
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
  const created = await request(db, actors, 'createRefund', { wallet, id: '', body })
  if (!created) return null
  actors.knowledge.refunds.push({
    ...{
      id: created.id,
      history: wallet,
      intentId: intent.id,
      destination,
      isConfirmed: isNamed,
      claims: [],
      signed: [],
      byHand: [],
    },
    ...{ reference: created.refund_reference, amount: BigInt(created.amount_units) },
    number: action.refund,
    confirmations: created.confirmations_required,
    wallet: walletOf(seed, wallet),
  })
  await expectCovered(db, step, wallet, intent.id)
  return intent.id
}

/** All that merchants and relayers do with refunds in one step. @returns the intents that look different then */
export async function followRefunds(
  db: Db,
  actors: Actors,
  step: number,
  count: (name: string) => void,
): Promise<ReadonlySet<string>> {
  const changed = new Set<string>()
  // Histories are served at once: the order in which they were answered decides nothing.
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
    // An account's code: the chain decides which signatures it accepts.
    const body = { authorization, signature: `0x${'11'.repeat(66)}` }
    const signed = await request(db, actors, 'authorizeRefund', { wallet, id, body })
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
    const canceled = await request(db, actors, 'cancelRefund', { wallet, id, body: {} })
    const { timestamp } = actors.knowledge.chain.head
    if (canceled && signed.some(({ validBefore }) => validBefore > timestamp)) {
      throw new Violation('refunds', step, [wallet], `${id} was canceled while it could be paid`)
    }
    return canceled !== null
  },
  async rename(db, actors, refund, step) {
    const { id, history: wallet } = refund
    const destination = destinationOf(actors.plan.seed, wallet, 0, step)
    const renamed = await request(db, actors, 'updateRefund', { wallet, id, body: { destination } })
    if (renamed) Object.assign(refund, { destination, isConfirmed: true })
    return renamed !== null
  },
  async claim(db, actors, refund, step) {
    const { id, history: wallet } = refund
    const destination = destinationOf(actors.plan.seed, wallet, -1, step)
    const service = serviceOf(db, actors, '')
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
    // The merchant may have looked before the payer named another one.
    const isLate = random(actors.plan.seed, 'looked', wallet, step).chance(0.3)
    const destination = claims.at(isLate ? -2 : -1)
    if (!destination) return false
    const body = { destination }
    const confirmed = await request(db, actors, 'confirmRefund', { wallet, id, body })
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
    if (!(await request(db, actors, 'attachRefund', { wallet, id, body }))) return false
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

/** A payer of theirs, or the neighbour's wallet, at which it may be somebody's payment. */
function destinationOf(seed: number, wallet: number, refund: number, step: number): Address {
  const dice = random(seed, 'destination', wallet, refund, step)
  return dice.chance(0.2) ? walletOf(seed, wallet + 1) : payerOf(seed, wallet, dice.int(0, 2))
}

/** @returns null where nobody has named a destination */
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

/** @returns the refund; null if the request is refused */
async function request<
  Name extends
    | 'createRefund'
    | 'authorizeRefund'
    | 'cancelRefund'
    | 'updateRefund'
    | 'confirmRefund'
    | 'attachRefund',
>(
  db: Db,
  actors: Actors,
  name: Name,
  { wallet, id, body }: { wallet: number; id: string; body: unknown },
): Promise<Refunded | null> {
  const { mode } = actors.plan.network
  const actor: Actor = { merchantId: merchantOf(wallet), mode }
  const source = { value: {}, text: new Map<string, string>() }
  const serviceRequest = {
    ...{ actor, id, body: body as Body<Name>, query: undefined, source, metadataFilter: [] },
    ...{ merchant: null as never, header: () => null },
  } as unknown as ServiceRequest<Name>
  const handle = handlers[name] as (
    service: Service,
    request: ServiceRequest<Name>,
  ) => Promise<{ body: string }>
  const service = serviceOf(db, actors, `${wallet} ${JSON.stringify(body)}`)
  const response = await unlessRefused(() => handle(service, serviceRequest))
  return response && JSON.parse(response.body)
}

async function unlessRefused<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof HttpError && error.code !== 'internal_error') return null
    throw error
  }
}

/** @param name of the request, from which its salt follows */
function serviceOf(db: Db, { plan, knowledge }: Actors, name: string): Service {
  const { chain } = knowledge
  const clock = () => ({ now: chain.head.timestamp * 1_000, earliest: 0 })
  const confirmations = () => ({})
  let salts = 0
  const isUsed = (from: string, nonce: string) =>
    chain.canonical.some(({ logs }) => logs.some((log) => log.nonce === nonce && log.from === from))
  const service: Partial<Service> = {
    store: { refunds: createRefundStore({ db, clock, confirmations }) } as never,
    ...{ clock, newId, now: () => clock().now, publicUrl: 'https://pay.example' },
    secrets: { refundToken: (id) => `${id}_link_` } as Service['secrets'],
    network: () => undefined,
    randomSalt() {
      salts += 1
      return randomHash(plan.seed, 'refund salt', name, salts)
    },
    gasless: { isConfigured: () => true, isOffered: () => true },
    inspectTransfer: async (_chainId, { authorization: { from, nonce } }) => ({
      ...{ codeHash: '0x01', simulated: 'passed', nonceUsed: isUsed(from, nonce) },
      ...{ isPaused: false, isPayerBlocked: false, isRecipientBlocked: false },
      balance: 2n ** 200n,
    }),
    readTransaction: async (_chainId, txHash) => {
      const block = chain.canonical.findLast(({ transactions }) =>
        transactions.some(({ hash }) => hash === txHash),
      )
      if (!block) return 'unknown'
      const logs = block.logs.filter(({ transaction }) => transaction.hash === txHash)
      return logs.map(({ transaction, nonce, lookalike: _, ...log }): ObservedTransfer => {
        const token = plan.network.usdc.toLowerCase() as Address
        const place = { txHash, blockNumber: block.number, blockHash: block.hash }
        return {
          ...log,
          ...place,
          token,
          blockTimestamp: block.timestamp,
          authorizationNonce: nonce,
        }
      })
    },
  }
  return service as Service
}

/** The amount received for good, by the rows of transfers and the cursor alone, covers all refunds that are not canceled. */
async function expectCovered(db: Db, step: number, wallet: number, intentId: string) {
  const { rows } = await db.pool.query<{ received: bigint; refunds: bigint }>(
    `select (
       select coalesce(sum(t.amount_units), 0) from transfers t join chain_cursors c using (chain_id)
       where t.intent_id = p.id and not t.orphaned
         and c.scanned_to - t.block_number + 1 >= p.confirmations_required
     ) as received, (
       select coalesce(sum(amount_units), 0) from refunds r
       where r.intent_id = p.id and status <> 'canceled'
     ) as refunds
     from payment_intents p where p.id = $1`,
    [intentId],
  )
  const [row] = rows
  if (row && row.refunds <= row.received) return
  const what = `${intentId}: refunds of ${row?.refunds} of ${row?.received} received`
  throw new Violation('refunds', step, [wallet], what)
}

type RefundRow = {
  id: string
  status: string
  reference: Hex
  transferHash: Hex | null
  blockHash: Hex | null
  logIndex: number | null
  events: string[]
  sequences: number[]
  isSigned: boolean
}

/**
 * After any poll of the chain: each refund matches the chain.
 *
 * @param shown.receipts the receipts that the provider returned: only a receipt makes a refund succeed
 * @param isSettled everything has had the time that it needs
 */
export async function checkRefunds(
  db: Db,
  { knowledge }: Actors,
  step: number,
  {
    receipts,
    succeededBefore,
    isSettled,
  }: {
    receipts: ReadonlySet<string>
    succeededBefore: Map<string, number>
    isSettled: boolean
  },
): Promise<number> {
  if (knowledge.refunds.length === 0) return 0
  const { rows } = await db.pool.query<RefundRow>(
    `select r.id, r.status, r.refund_reference as reference, t.tx_hash as "transferHash",
       t.block_hash as "blockHash", t.log_index as "logIndex",
       array(select type from events e where e.refund_id = r.id order by sequence) as events,
       array(select sequence from events e where e.refund_id = r.id order by sequence) as sequences,
       exists (
         select from authorizations a where a.refund_id = r.id and a.status = 'in_flight'
       ) as "isSigned"
     from refunds r left join transfers t on t.refund_id = r.id and not t.orphaned`,
  )
  const stored = new Map(rows.map((row) => [row.id, row]))
  const taken = new Set<string>()
  for (const refund of knowledge.refunds) {
    const row = stored.get(refund.id)
    const expect = (isSo: boolean, fault: string) => {
      if (!isSo) throw new Violation('refunds', step, [refund.history], `${refund.id}: ${fault}`)
    }
    if (!row) throw new Violation('refunds', step, [refund.history], `${refund.id} is lost`)
    expect(
      row.sequences.every((sequence, at) => sequence === at + 1),
      `events ${row.sequences}`,
    )
    const succeeded = row.events.filter((type) => type === 'refund.succeeded').length
    const reversed = row.events.filter((type) => type === 'refund.reversed').length
    const isNow = row.status === 'succeeded' ? 1 : 0
    expect(succeeded - reversed === isNow, `${row.status} after ${row.events}`)
    const place = `${row.blockHash}:${row.logIndex}`
    expect(row.blockHash === null || !taken.has(place), `shares ${place} with another refund`)
    taken.add(place)
    if (succeeded > (succeededBefore.get(refund.id) ?? 0)) {
      const receipt = `${row.transferHash}:${row.blockHash}`
      expect(receipts.has(receipt) || row.status !== 'succeeded', 'succeeded without a receipt')
      succeededBefore.set(refund.id, succeeded)
    }
    const paid = paymentsOf(knowledge.chain.canonical, refund)
    const byNonce = paid.filter(({ log }) => log.nonce === refund.reference)
    expect(byNonce.length <= 1, 'the token took its nonce twice')
    if (!isSettled) continue
    // A reorg deeper than a payment needs may bring back an ended authorization: then the refund is paid after all.
    if (row.status === 'canceled') expect(byNonce.length === 0, 'canceled, and paid by its nonce')
    const its = paid.find(({ log, hash }) => `${hash}:${log.logIndex}` === place)
    if (row.status === 'succeeded') expect(its !== undefined, 'succeeded, and not on the chain')
    const isDeep = (number: bigint) =>
      knowledge.chain.head.number - number + 1n >= BigInt(refund.confirmations)
    if (its && isDeep(its.number)) expect(row.status === 'succeeded', `deep, but ${row.status}`)
    const [named] = byNonce
    const isExpected =
      !named || (its !== undefined && its.log === named.log) || row.blockHash !== null
    expect(isExpected, `paid by its nonce, but ${row.status}`)
    const last = refund.signed.at(-1)
    if (row.status === 'pending' && !its)
      expect(row.isSigned && last !== undefined, 'pending for nothing')
  }
  return rows.filter(({ status }) => status === 'succeeded').length
}

/** The transfers of the chain that may be this refund's: by its nonce, or made by hand for it. */
function paymentsOf(
  branch: readonly { hash: Hex; number: bigint; logs: readonly Log[] }[],
  refund: PromisedRefund,
): { log: Log; hash: Hex; number: bigint }[] {
  const destinations = new Set([refund.destination, ...refund.signed.map(({ to }) => to)])
  return branch.flatMap(({ hash, number, logs }) =>
    logs
      .filter((log) => {
        const isOfRefund = log.from === refund.wallet && log.amount === refund.amount
        const isNamed =
          log.nonce === refund.reference || refund.byHand.includes(log.transaction.hash)
        return isOfRefund && isNamed && destinations.has(log.to)
      })
      .map((log) => ({ log, hash, number })),
  )
}
