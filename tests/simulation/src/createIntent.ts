import { chains } from '@payment-intents/contract'
import { HttpError, newTerms, type StoredCreation, type Terms } from '@payment-intents/core'
import type { Db } from '@payment-intents/server/src/store/connection/connect.ts'
import { createCreationStore } from '@payment-intents/server/src/store/payment-intents/storeCreations.ts'
import { amountFault } from './oracle/amounts.ts'
import type { Promised, ReadTo } from './oracle/knowledge.ts'
import { mayName, mayUse } from './oracle/owners.ts'
import { type Actors, chosenWallet, listedBy, merchantOf, walletOf } from './plan/actors.ts'
import type { Plan } from './plan/drawPlan.ts'
import type { Creation } from './plan/history.ts'
import { random, randomHash } from './plan/random.ts'
import { Violation } from './violation.ts'

export type Outcome =
  | { type: 'created'; intent: Promised }
  | { type: 'wallet_refused' }
  | { type: 'no_amount_left' }

/**
 * Creates an intent, by the chain's clock.
 *
 * @param readTo up to where the chain was read
 * @throws {Violation} when it gets an amount, or a wallet, that the design gives to no intent or to another
 */
export async function createIntent(
  db: Db,
  { plan, knowledge, intents }: Actors,
  step: number,
  wallet: number,
  action: Creation,
  readTo: ReadTo | null,
): Promise<Outcome> {
  const moment = knowledge.chain.advanceClock()
  const now = knowledge.chain.head.timestamp * 1000
  const namesWallet = action.wallet !== 'configured'
  const merchantId = merchantOf(wallet)
  const address = chosenWallet(plan.seed, wallet, action.wallet)
  const isAllowed = (namesWallet ? mayName : mayUse)(knowledge, merchantId, address)
  const like = action.like === null ? undefined : intents.get(`${wallet}:${action.like}`)
  const amount = like ? Number(like.payable) : action.amount
  const terms = termsOf(plan, wallet, { ...action, amount }, now)
  const dice = random(plan.seed, 'payable amount', wallet, action.intent)
  const create = createCreationStore(db, dice.next)
  const stored: StoredCreation = terms
    ? await create({
        ...{ terms, operation: 'createPaymentIntent', idempotency: null },
        ...{ reservesAmount: true, namesWallet },
        ...{ since: now, secretKey: 'of the simulation' },
      })
    : { type: 'wallet_taken' }
  const refused = stored.type === 'wallet_taken'
  if (refused === isAllowed) {
    const what = `${merchantId} names ${address}: ${refused ? 'refused' : 'accepted'}`
    throw new Violation('I8', step, [wallet], what)
  }
  if (refused || !terms) return { type: 'wallet_refused' }

  const payable =
    stored.type === 'created' ? BigInt(JSON.parse(stored.response).payable_amount_units) : null
  const fault = amountFault({ ...terms, payable }, readTo, knowledge)
  if (fault) throw new Violation('I7', step, [wallet], `${stored.type}: ${fault}`)
  if (payable === null) return { type: 'no_amount_left' }
  const intent: Promised = {
    id: terms.id,
    history: wallet,
    merchantId,
    chainId: terms.chainId,
    wallet: terms.wallet,
    amount: terms.amount,
    payable,
    referenceOnly: payable === terms.amount,
    reference: terms.reference,
    confirmations: terms.confirmationsRequired,
    createdAt: now / 1000,
    expiresAt: terms.expiresAt,
    readTo,
    moment,
  }
  intents.set(`${wallet}:${action.intent}`, intent)
  const { requestedAt, owners } = knowledge
  knowledge.intents.set(intent.id, intent)
  requestedAt.set(address, [...(requestedAt.get(address) ?? []), intent])
  if (namesWallet && !owners.has(address)) owners.set(address, merchantId)
  return { type: 'created', intent }
}

/** null: the wallet is refused. */
function termsOf(
  { seed, network }: Plan,
  wallet: number,
  action: Creation,
  now: number,
): Terms | null {
  const sibling = chains.find(({ mode, chain }) => mode === network.mode && chain !== network.chain)
  const chain = action.sibling && sibling ? sibling.chain : network.chain
  const named = action.wallet !== 'configured'
  try {
    return newTerms(
      {
        amount_units: action.amount,
        chain,
        expires_in_minutes: action.minutes,
        lane: action.lane,
        ...(named && { wallet_address: chosenWallet(seed, wallet, action.wallet) }),
      },
      '{}',
      {
        id: merchantOf(wallet),
        mode: network.mode,
        defaultChain: null,
        wallets: { [chain]: walletOf(seed, wallet) },
        allowedWallets: listedBy(seed, wallet),
        confirmations: {},
      },
      {
        newId: () => `pi_${randomHash(seed, 'id', wallet, action.intent).slice(2, 32)}`,
        salt: randomHash(seed, 'salt', wallet, action.intent),
        clock: () => now,
        confirmations: { [chain]: action.confirmations },
      },
    )
  } catch (error) {
    if (error instanceof HttpError && error.code === 'wallet_invalid') return null
    throw error
  }
}
