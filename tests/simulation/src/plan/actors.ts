import { type Address, chains } from '@payment-intents/contract'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { storeNamedPayer } from '@payment-intents/server/src/store/payment-intents/paymentIntents.ts'
import type { Hex } from 'viem'
import type { Knowledge, Promised } from '../oracle/knowledge.ts'
import type { Plan } from './drawPlan.ts'
import type { Announcement, WalletChoice } from './history.ts'
import { random, randomHash } from './random.ts'

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
/** The nonce that a payer draws who signs an authorization for no reference. */
export const drawnNonce = (seed: number, wallet: number, transaction: number): Hex =>
  randomHash(seed, 'drawn nonce', wallet, transaction)
/** The accounts that carry the transactions of a history's payers, each for a reason of its own. */
export const relayerOf = (seed: number, wallet: number): Address =>
  `0x${random(seed, 'relayer', wallet).bytes(20)}`
export const walletOf = (seed: number, wallet: number): Address =>
  `0x${random(seed, 'wallet', wallet).bytes(20)}`

/** A wallet that a request of this history's merchant names. */
export function chosenWallet(seed: number, wallet: number, choice: WalletChoice): Address {
  switch (choice) {
    case 'configured':
      return walletOf(seed, wallet)
    case 'neighbours':
      return walletOf(seed, wallet + 1)
    case 'neighbours_first':
      return chosenWallet(seed, wallet + 1, 'first')
    case 'shared':
      return `0x${random(seed, 'shared wallet', Math.floor(wallet / 2)).bytes(20)}`
    default:
      return `0x${random(seed, choice, 'wallet', wallet).bytes(20)}`
  }
}

/** Every wallet of a plan, with the history to look at first when something is wrong there. */
export function walletsOf({ seed, histories }: Plan): Map<Address, number> {
  const choices = [
    'neighbours',
    'neighbours_first',
    'shared',
    'second',
    'first',
    'configured',
  ] as const
  return new Map(
    choices.flatMap((choice) =>
      histories.map(({ wallet }) => [chosenWallet(seed, wallet, choice), wallet] as const),
    ),
  )
}

/** The only addresses that the merchant lets a request name; none where a request may name any. */
export function listedBy(seed: number, wallet: number): readonly Address[] {
  if (!random(seed, 'list', wallet).chance(0.3)) return []
  const choices = ['configured', 'first', 'second', 'shared'] as const
  return choices.map((choice) => chosenWallet(seed, wallet, choice))
}

/** The wallets whose key the merchant has shown to hold; of a shared wallet, the neighbour may have, too. */
export function provenBy(seed: number, wallet: number): readonly Address[] {
  const choices = ['first', 'second', 'shared', 'configured', 'neighbours'] as const
  return choices
    .filter((choice) => random(seed, 'proof', wallet, choice).chance(0.08))
    .map((choice) => chosenWallet(seed, wallet, choice))
}

/** Whether the merchant has set `match_plain_price` for the configured wallet. */
export function matchesPlainPrice(seed: number, wallet: number): boolean {
  return random(seed, 'match plain price', wallet).chance(0.5)
}

/** Writes the merchants with their configured wallets, which are the same on all chains, their lists and their proofs. */
export async function insertMerchants(db: Db, { histories, network, seed }: Plan): Promise<void> {
  const merchants = histories.map(({ wallet }) => merchantOf(wallet))
  const wallets = histories.map(({ wallet }) => walletOf(seed, wallet))
  await db.pool.query(`insert into merchants (id, name) select unnest($1::text[]), 'Simulated'`, [
    merchants,
  ])
  const ofMode = chains.filter(({ mode }) => mode === network.mode)
  await db.pool.query(
    `insert into merchant_wallets (merchant_id, mode, chain, address, match_plain_price)
     select merchant, $3, chain, address, matched
     from unnest($1::text[], $2::text[], $5::boolean[]) as t (merchant, address, matched),
       unnest($4::text[]) as chain`,
    [
      merchants,
      wallets,
      network.mode,
      ofMode.map(({ chain }) => chain),
      histories.map(({ wallet }) => matchesPlainPrice(seed, wallet)),
    ],
  )
  const lists = histories.flatMap(({ wallet }) =>
    listedBy(seed, wallet).map((address) => ({ merchant: merchantOf(wallet), address })),
  )
  await db.pool.query(
    `insert into allowed_wallets (merchant_id, address)
     select * from unnest($1::text[], $2::text[])`,
    [lists.map(({ merchant }) => merchant), lists.map(({ address }) => address)],
  )
  const proofs = histories.flatMap(({ wallet }) =>
    provenBy(seed, wallet).map((address) => ({ merchant: merchantOf(wallet), address })),
  )
  await db.pool.query(
    `insert into wallet_proofs (merchant_id, address, nonce_hash, proved_at)
     select merchant, address, sha256(convert_to(merchant || address, 'UTF8')), now()
     from unnest($1::text[], $2::text[]) as t (merchant, address)`,
    [proofs.map(({ merchant }) => merchant), proofs.map(({ address }) => address)],
  )
}

/** A checkout names the account that is about to get the request for the payment: only a claim. */
export async function announce(
  db: Db,
  { plan, intents }: Actors,
  wallet: number,
  action: Announcement,
): Promise<boolean> {
  const intent = intents.get(`${wallet}:${action.intent}`)
  if (!intent) return false
  const payer = payerOf(plan.seed, wallet, action.payer)
  await storeNamedPayer(db.pool, { intentId: intent.id, payer })
  return true
}
