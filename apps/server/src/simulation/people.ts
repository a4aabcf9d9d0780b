import type { Address } from '@payment-intents/contract'
import type { Db } from '../db/connect.ts'
import { storeCreation } from '../db/storeCreation.ts'
import { create } from '../intent/create.ts'
import type { Chain } from './chain.ts'
import type { Action, PartPlan } from './history.ts'
import type { Promised } from './oracle.ts'
import type { Plan } from './plan.ts'
import { type Random, random, randomHash } from './random.ts'
import type { Part, Transaction } from './transaction.ts'

/** The merchants of a world and those who pay them. */
export type People = {
  readonly plan: Plan
  /** Intents by `<history>:<intent>`. */
  readonly intents: Map<string, Promised>
}

export const walletOf = (seed: number, wallet: number): Address =>
  `0x${random(seed, 'wallet', wallet).bytes(20)}`
const merchantOf = (wallet: number) => `mer_${wallet}`

/** Writes the merchants and their standing wallets. */
export async function settle(db: Db, plan: Plan): Promise<void> {
  const numbers = plan.histories.map(({ wallet }) => wallet)
  await db.pool.query(`insert into merchants (id, name) select unnest($1::text[]), 'Simulated'`, [
    numbers.map(merchantOf),
  ])
  await db.pool.query(
    `insert into merchant_wallets (merchant_id, mode, chain, address)
     select merchant, $3, $4, address from unnest($1::text[], $2::text[]) as t (merchant, address)`,
    [
      numbers.map(merchantOf),
      numbers.map((wallet) => walletOf(plan.seed, wallet)),
      plan.network.mode,
      plan.network.chain,
    ],
  )
}

/** Creates an intent, by the chain's clock. */
export async function createIntent(
  db: Db,
  people: People,
  chain: Chain,
  wallet: number,
  action: Extract<Action, { type: 'create' }>,
): Promise<Promised> {
  const { seed, network } = people.plan
  const moment = chain.tick()
  const now = chain.head.timestamp * 1000
  const address = walletOf(seed, wallet)
  const creation = create(
    {
      amount_units: action.amount,
      chain: network.chain,
      expires_in_minutes: action.minutes,
      lane: action.lane,
    },
    '{}',
    {
      id: merchantOf(wallet),
      mode: network.mode,
      defaultChain: null,
      wallets: { [network.chain]: address },
      allowedWallets: [],
    },
    {
      id: `pi_${randomHash(seed, 'id', wallet, action.intent).slice(2, 32)}`,
      salt: randomHash(seed, 'salt', wallet, action.intent),
      now,
      confirmations: { [network.chain]: action.confirmations },
    },
  )
  if (creation.type !== 'created') throw new Error(`not created: ${creation.type}`)
  const { terms } = creation
  const { rows } = await db.pool.query<{ scanned_timestamp: bigint | null }>(
    'select scanned_timestamp from chain_cursors where chain_id = $1',
    [network.chainId],
  )
  const readTo = Number(rows[0]?.scanned_timestamp ?? 0)
  const stored = await storeCreation(db, terms, null)
  if (stored.type !== 'created') throw new Error(`not stored: ${stored.type}`)
  const promised: Promised = {
    id: terms.id,
    history: wallet,
    wallet: address,
    amount: terms.amount,
    payable: BigInt(JSON.parse(stored.response).payable_amount_units),
    reference: terms.reference,
    confirmations: terms.confirmationsRequired,
    createdAt: now / 1000,
    expiresAt: terms.expiresAt,
    readTo: readTo || now / 1000,
    moment,
  }
  people.intents.set(`${wallet}:${action.intent}`, promised)
  return promised
}

/** The transaction that a payer sends; null when it is for an intent that was never created. */
export function compose(
  people: People,
  wallet: number,
  action: Extract<Action, { type: 'send' }>,
): Transaction | null {
  const { seed } = people.plan
  const dice = random(seed, 'transaction', wallet, action.transaction)
  const parts = action.parts.flatMap((part) => {
    const intent = people.intents.get(`${wallet}:${part.intent}`)
    return intent ? [composePart(people, intent, part, action.bundled, dice)] : []
  })
  if (parts.length === 0) return null
  return {
    hash: randomHash(seed, 'transaction hash', wallet, action.transaction),
    parts,
    gap: dice.int(0, 2),
  }
}

function composePart(
  people: People,
  intent: Promised,
  plan: PartPlan,
  bundled: boolean,
  dice: Random,
): Part {
  const { seed } = people.plan
  const neighbour = intent.history + 1
  const foreign = people.intents.get(`${neighbour}:0`)?.reference ?? randomHash(seed, 'foreign')
  const own = intent.reference.slice(2)
  const surroundings = () => (bundled ? dice.bytes(dice.int(0, 70)) : '')
  const part = {
    from: `0x${dice.bytes(20)}`,
    to: plan.misdirected ? walletOf(seed, neighbour) : intent.wallet,
    amount: amountOf(intent, plan.amount),
    called: plan.called,
    moved: plan.moved,
    before: surroundings(),
  } as const
  switch (plan.reference) {
    case 'own':
      return { ...part, reference: intent.reference, tail: own + surroundings() }
    case 'foreign':
      return { ...part, reference: foreign, tail: foreign.slice(2) + surroundings() }
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
