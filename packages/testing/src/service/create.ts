import {
  type Address,
  type Chain,
  type CreatePaymentIntent,
  chainFacts,
  limits,
} from '@payment-intents/contract'
import { getAddress, type Hex, isAddress, zeroAddress } from 'viem'
import type { Intent } from './intent.ts'
import type { Merchant } from './merchant.ts'
import { paymentReference } from './reference.ts'

export type Creation =
  | { type: 'created'; intent: Intent }
  | { type: 'wallet_invalid'; message: string }
  | { type: 'no_payable_amount_left' }

/** @param context.taken the amounts that other intents at a wallet ask for */
export function create(
  request: CreatePaymentIntent,
  merchant: Merchant,
  context: {
    id: string
    clientSecret: string
    salt: Hex
    /** Unix milliseconds. */
    now: number
    taken: (chain: Chain, wallet: Address) => ReadonlySet<bigint>
  },
): Creation {
  const { mode } = merchant
  const { now, salt, taken } = context
  const chain = request.chain ?? merchant.defaultChain
  const chosen = chooseWallet(request.wallet_address, chain, merchant)
  if (chosen.type === 'invalid') return { type: 'wallet_invalid', message: chosen.message }
  const { wallet } = chosen

  const amount = BigInt(request.amount_units)
  const payable = freePayable(amount, taken(chain, wallet))
  const lane = request.lane ?? 'sdk'
  if (payable === null && lane === 'manual') return { type: 'no_payable_amount_left' }

  const { min, max, default: usual } = limits.expiresInMinutes
  const expiresInMinutes = Math.min(max, Math.max(min, request.expires_in_minutes ?? usual))
  const expiresAt = Math.floor(now / 1000) + expiresInMinutes * 60
  const terms = { id: context.id, mode, chain, wallet, amount, expiresAt }
  return {
    type: 'created',
    intent: {
      ...terms,
      clientSecret: context.clientSecret,
      payable: payable ?? amount,
      referenceOnly: payable === null,
      reference: paymentReference(terms, salt),
      confirmationsRequired: merchant.confirmations[chain],
      lane,
      metadata: request.metadata ?? {},
      createdAt: now,
      expiresInMinutes,
      status: 'requires_payment',
      version: 1,
      sequence: 1,
      confirmations: 0,
      txHash: null,
      exceptions: [],
      accepted: null,
      transfers: [],
    },
  }
}

type Chosen = { type: 'wallet'; wallet: Address } | { type: 'invalid'; message: string }

function chooseWallet(given: string | undefined, chain: Chain, merchant: Merchant): Chosen {
  const wallet = given ?? merchant.wallets[chain]
  if (wallet === undefined) {
    const message = `The merchant has no ${chain} wallet in ${merchant.mode} mode and the request names none; configure one or send wallet_address.`
    return { type: 'invalid', message }
  }
  if (isMixedCase(wallet) && !isAddress(wallet)) {
    const message = `The EIP-55 checksum of wallet_address ${wallet} does not fit: a character is wrong. Send it all in lower case only if you are sure of it.`
    return { type: 'invalid', message }
  }
  const address = getAddress(wallet)
  if (address === zeroAddress) {
    return { type: 'invalid', message: 'The zero address cannot receive a payment.' }
  }
  if (address === chainFacts(merchant.mode, chain).usdc) {
    const message = 'The recipient is the USDC contract itself; funds sent there are lost.'
    return { type: 'invalid', message }
  }
  return { type: 'wallet', wallet: address }
}

/** The amount itself, else with a tag: hundreds first, then every unit, all below one cent. */
function freePayable(amount: bigint, taken: ReadonlySet<bigint>): bigint | null {
  const tags = Array.from({ length: 10_000 }, (_, tag) => tag)
  const hundreds = tags.filter((tag) => tag % 100 === 0)
  for (const tag of [...hundreds, ...tags]) {
    const payable = amount + BigInt(tag)
    if (payable <= BigInt(Number.MAX_SAFE_INTEGER) && !taken.has(payable)) return payable
  }
  return null
}

function isMixedCase(address: string): boolean {
  const digits = address.slice(2)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}
