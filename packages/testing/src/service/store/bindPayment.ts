import { type Address, type Chain, chainFacts, windows } from '@payment-intents/contract'
import {
  authorizationKey,
  type Binding,
  bind,
  type CandidateIntent,
  type Intent,
  type PricedIntent,
  payableKey,
  received,
  referencedCalls,
} from '@payment-intents/core'
import type { Hex } from 'viem'
import type { Merchant } from '../merchant.ts'

/** Addresses are lower-case. */
export type Payment = {
  readonly chain: Chain
  readonly from: Address
  readonly to: Address
  readonly amount: bigint
  /** Appended to the calldata; null for a bare transfer, as made by hand. */
  readonly reference: Hex | null
  /** The nonce of the authorization that moves the USDC; absent if the payer sends the transfer. */
  readonly authorizationNonce?: Hex
  /** The intent that the authorization was submitted for. */
  readonly authorizedFor?: string
}

/**
 * Binds a transfer by the service's rules. The payer sent it to the token directly, or authorized it.
 *
 * @param stored.intents all intents, in order of creation
 * @param stored.waiting intents whose late window is open
 * @param stored.merchant the owner of the wallets
 */
export function bindPayment(
  { chain, from, to, amount, reference, authorizationNonce, authorizedFor }: Payment,
  stored: {
    readonly intents: readonly Intent[]
    readonly waiting: readonly Intent[]
    readonly merchant: Merchant
    readonly blockNumber: bigint
    /** Unix seconds. */
    readonly timestamp: number
  },
): Binding {
  const { blockNumber, timestamp, merchant } = stored
  const token = chainFacts(merchant.mode, chain).usdc.toLowerCase() as Address
  const onChain = stored.intents.filter((intent) => intent.chain === chain)
  const waiting = stored.waiting.filter(({ wallet }) => wallet === to)
  const waitingOnChain = waiting.filter((intent) => intent.chain === chain)
  const reserved = waiting.filter(({ referenceOnly }) => !referenceOnly)
  const ofPrice = onChain.filter(
    (intent) =>
      intent.wallet === to &&
      intent.amount === amount &&
      intent.createdAt / 1000 >= timestamp - windows.price,
  )
  const nonce = authorizationNonce ?? null
  const log = { logIndex: 0, from, to, amount, token, authorizationNonce: nonce }
  const transaction = {
    ...{ sender: from, to: token, token, input: callData(to, amount, reference) },
    ...{ blockNumber, timestamp, transfers: [log] },
  }
  const [binding] = bind(
    { ...transaction, calls: referencedCalls(transaction) },
    {
      byAuthorization: new Map(
        authorizationNonce && authorizedFor
          ? [[authorizationKey(from, authorizationNonce), { id: authorizedFor, wallet: to }]]
          : [],
      ),
      assigned: new Map(),
      pricedBefore: new Map(),
      byReference: new Map(onChain.map((intent) => [intent.reference, intent])),
      byAddress: new Map(
        Object.values(merchant.wallets).includes(to)
          ? []
          : [[to, waitingOnChain.map(toCandidateIntent)] as const],
      ),
      byPayable: new Map(
        reserved
          .filter((intent) => intent.chain === chain)
          .map((intent) => [payableKey(to, intent.payable), toCandidateIntent(intent)]),
      ),
      byPrice: new Map([
        [payableKey(to, amount), ofPrice.map((intent) => toPricedIntent(intent, merchant))],
      ]),
      onOtherChain: new Set(
        reserved
          .filter((intent) => intent.chain !== chain)
          .map((intent) => payableKey(to, intent.payable)),
      ),
    },
  )
  if (!binding) throw new Error('A transfer has a binding.')
  return binding
}

function toCandidateIntent({ id, createdAt }: Intent): CandidateIntent {
  const timestamp = Math.floor(createdAt / 1000)
  return { id, since: { type: 'time', timestamp }, isNewer: false }
}

function toPricedIntent(intent: Intent, merchant: Merchant): PricedIntent {
  const matchPlainPrice =
    merchant.matchPlainPrice.has(intent.chain) && merchant.wallets[intent.chain] === intent.wallet
  const isUnpaid = intent.status === 'requires_payment' && received(intent) === 0n
  return { ...toCandidateIntent(intent), matchPlainPrice, isUnpaid, expiresAt: intent.expiresAt }
}

function callData(to: Address, amount: bigint, reference: Hex | null): Hex {
  const words = [to.slice(2), amount.toString(16)].map((word) => word.padStart(64, '0'))
  return `0xa9059cbb${words.join('')}${reference?.slice(2) ?? ''}`
}
