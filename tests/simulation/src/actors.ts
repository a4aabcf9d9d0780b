import type { Address } from '@payment-intents/contract'
import type { Db } from 'server/src/db/connect.ts'
import { announcePayer, findIntent } from 'server/src/db/paymentIntents.ts'
import { storeCreation } from 'server/src/db/storeCreation.ts'
import { type Creation as Created, create } from '@payment-intents/rules'
import type { Announcement, Creation, WalletChoice } from './history.ts'
import { type Knowledge, type Promised, type ReadTo, until } from './oracle/knowledge.ts'
import type { Plan } from './plan.ts'
import { random, randomHash } from './random.ts'
import { Violation } from './violation.ts'

/** The merchants and payers of a world. */
export type Actors = {
  readonly plan: Plan
  readonly knowledge: Knowledge
  /** Intents by `<history>:<intent>`. */
  readonly intents: Map<string, Promised>
}

export const merchantOf = (wallet: number) => `mer_${wallet}`
export const payerOf = (seed: number, wallet: number, payer: number): Address =>
  `0x${random(seed, 'payer', wallet, payer).bytes(20)}`
export const walletOf = (seed: number, wallet: number): Address =>
  `0x${random(seed, 'wallet', wallet).bytes(20)}`

/** A wallet that a request of this history's merchant names. */
export function chosenWallet(seed: number, wallet: number, choice: WalletChoice): Address {
  switch (choice) {
    case 'standing':
      return walletOf(seed, wallet)
    case 'neighbours':
      return walletOf(seed, wallet + 1)
    case 'shared':
      return `0x${random(seed, 'shared wallet', Math.floor(wallet / 2)).bytes(20)}`
    default:
      return `0x${random(seed, choice, 'wallet', wallet).bytes(20)}`
  }
}

/** Every wallet of a plan, with the history to look at first when something is wrong there. */
export function walletsOf({ seed, histories }: Plan): Map<Address, number> {
  const choices = ['neighbours', 'shared', 'second', 'first', 'standing'] as const
  return new Map(
    choices.flatMap((choice) =>
      histories.map(({ wallet }) => [chosenWallet(seed, wallet, choice), wallet] as const),
    ),
  )
}

/** Writes the merchants and their standing wallets, which are the same on both chains. */
export async function insertMerchants(db: Db, { histories, network, seed }: Plan): Promise<void> {
  const merchants = histories.map(({ wallet }) => merchantOf(wallet))
  const wallets = histories.map(({ wallet }) => walletOf(seed, wallet))
  await db.pool.query(`insert into merchants (id, name) select unnest($1::text[]), 'Simulated'`, [
    merchants,
  ])
  await db.pool.query(
    `insert into merchant_wallets (merchant_id, mode, chain, address)
     select merchant, $3, chain, address
     from unnest($1::text[], $2::text[]) as t (merchant, address), unnest('{base,polygon}'::text[]) as chain`,
    [merchants, wallets, network.mode],
  )
}

/**
 * Creates an intent, by the chain's clock.
 *
 * @param readTo up to where the chain was read
 * @returns null when no amount is left that its payer could be told by
 */
export async function createIntent(
  db: Db,
  { plan, knowledge, intents }: Actors,
  step: number,
  wallet: number,
  action: Creation,
  readTo: ReadTo | null,
): Promise<Promised | null> {
  const moment = knowledge.chain.tick()
  const now = knowledge.chain.head.timestamp * 1000
  const { terms } = decide(plan, wallet, action, now)
  const amounts = reservedAt(knowledge, terms, readTo)
  const stored = await storeCreation(db, terms, null)
  const payable =
    stored.type === 'created' ? BigInt(JSON.parse(stored.response).payable_amount_units) : null
  const isShared = payable !== null && amounts.perhaps.has(payable)
  const referenceOnly = isShared && (await findIntent(db.pool, terms.id))?.referenceOnly === true
  const isRefused = stored.type === 'no_payable_amount_left' && action.lane === 'manual'
  const isReferenceOnly = referenceOnly && action.lane === 'sdk'
  const isRight =
    payable === null || referenceOnly
      ? (isRefused || isReferenceOnly) && isAllTaken(terms.amount, amounts.perhaps)
      : !amounts.certainly.has(payable)
  if (!isRight) {
    const taken = `perhaps ${[...amounts.perhaps]}, certainly ${[...amounts.certainly]}`
    const given = `${payable}${referenceOnly ? ', which is not its own' : ''}`
    throw new Violation('I7', step, [wallet], `${stored.type}, given ${given}; taken ${taken}`)
  }
  if (payable === null) return null
  const promised: Promised = {
    id: terms.id,
    history: wallet,
    merchantId: terms.merchantId,
    chainId: terms.chainId,
    wallet: terms.wallet,
    amount: terms.amount,
    payable,
    referenceOnly,
    reference: terms.reference,
    confirmations: terms.confirmationsRequired,
    createdAt: now / 1000,
    expiresAt: terms.expiresAt,
    readTo,
    moment,
  }
  intents.set(`${wallet}:${action.intent}`, promised)
  knowledge.intents.set(promised.id, promised)
  const { askedAt } = knowledge
  askedAt.set(terms.wallet, [...(askedAt.get(terms.wallet) ?? []), promised])
  return promised
}

function decide(
  { seed, network }: Plan,
  wallet: number,
  action: Creation,
  now: number,
): Extract<Created, { type: 'created' }> {
  const sibling = network.chain === 'base' ? 'polygon' : 'base'
  const chain = action.sibling ? sibling : network.chain
  const named = action.wallet !== 'standing'
  const creation = create(
    {
      amount_units: action.amount,
      chain,
      expires_in_minutes: action.minutes,
      lane: action.lane,
      ...(named && {
        wallet_address: chosenWallet(seed, wallet, action.wallet),
      }),
    },
    '{}',
    {
      id: merchantOf(wallet),
      mode: network.mode,
      defaultChain: null,
      wallets: { [chain]: walletOf(seed, wallet) },
      allowedWallets: [],
    },
    {
      id: `pi_${randomHash(seed, 'id', wallet, action.intent).slice(2, 32)}`,
      salt: randomHash(seed, 'salt', wallet, action.intent),
      now,
      // Whatever it was when it was asked for.
      isOthersWallet: false,
      confirmations: { [chain]: action.confirmations },
    },
  )
  if (creation.type !== 'created') throw new Error(`not created: ${creation.type}`)
  return creation
}

/** Amounts that others at the wallet hold: until their late windows end, or until that was read. */
function reservedAt(
  { chain, chainId, askedAt }: Knowledge,
  terms: Pick<Promised, 'chainId' | 'wallet'>,
  readTo: ReadTo | null,
): { certainly: ReadonlySet<bigint>; perhaps: ReadonlySet<bigint> } {
  const others = (askedAt.get(terms.wallet) ?? []).filter(
    (other) => !other.referenceOnly && other.chainId === terms.chainId,
  )
  const heldAt = (timestamp: number) =>
    new Set(others.filter((other) => until(other) >= timestamp).map(({ payable }) => payable))
  return {
    certainly: heldAt(chain.head.timestamp),
    perhaps: heldAt(terms.chainId === chainId ? (readTo?.timestamp ?? 0) : 0),
  }
}

/** "`amount_units` + the smallest free tag … less than one cent", and no more than JSON can tell. */
function isAllTaken(amount: bigint, taken: ReadonlySet<bigint>): boolean {
  for (let payable = amount; payable <= amount + 9_999n; payable += 1n) {
    if (payable > Number.MAX_SAFE_INTEGER) return true
    if (!taken.has(payable)) return false
  }
  return true
}

/** A payer says who they are, as the checkout does before it asks their wallet. */
export async function announce(
  db: Db,
  { plan, knowledge, intents }: Actors,
  wallet: number,
  action: Announcement,
): Promise<boolean> {
  const intent = intents.get(`${wallet}:${action.intent}`)
  if (!intent?.referenceOnly) return false
  const payer = payerOf(plan.seed, wallet, action.payer)
  await announcePayer(db.pool, { intentId: intent.id, payer })
  knowledge.announcements.push({
    payer,
    intent,
    moment: knowledge.chain.tick(),
  })
  return true
}
