import {
  type Address,
  type Chain,
  type CreatePaymentIntent,
  chainFacts,
  limits,
  type Mode,
} from '@payment-intents/contract'
import { type Hex, isAddress, zeroAddress } from 'viem'
import { HttpError, invalidBody } from '../../http/httpError.ts'
import type { Intent, Terms } from '../intent.ts'
import { type Keccak256, paymentReference } from './reference.ts'

/** The merchant of an API key, with the configuration of the key's mode. Addresses are lower-case. */
export type Merchant = {
  readonly id: string
  readonly mode: Mode
  readonly defaultChain: Chain | null
  readonly wallets: { readonly [chain in Chain]?: Address }
  /** If not empty, the only recipients that a request may name. */
  readonly allowedWallets: readonly Address[]
  /** The merchant's own `confirmations_required`; for other chains the server's applies. */
  readonly confirmations: { readonly [chain in Chain]?: number }
}

/** The impure inputs of a creation. */
export type CreationContext = {
  /** A new id of this time, in Unix milliseconds: an intent's id and its `created_at` come from one clock. */
  readonly newId: (createdAt: number) => string
  /** 32 random bytes. */
  readonly salt: Hex
  /** The chain's clock in Unix milliseconds, which decides when an intent starts and expires. */
  readonly clock: (chainId: number) => number
  /** `confirmations_required` of each chain that is followed in the merchant's mode, where the merchant has none. */
  readonly confirmations: { readonly [chain in Chain]?: number }
  /** The payment link that the intent pays and whose metadata it gets; absent: none. */
  readonly paymentLink?: string
  /** Absent: the JavaScript implementation. */
  readonly keccak256?: Keccak256
}

/**
 * The terms of a new intent. Whether the wallet is another merchant's shows when the intent is stored.
 * @param metadata the request's `metadata` as the JSON text that was sent
 * @throws {HttpError} `wallet_invalid`, or `invalid_body` for a chain that the server does not follow
 */
export function newTerms(
  request: CreatePaymentIntent,
  metadata: string,
  merchant: Merchant,
  context: CreationContext,
): Terms {
  const chain = request.chain ?? merchant.defaultChain ?? 'base'
  const usualConfirmations = context.confirmations[chain]
  if (!usualConfirmations) {
    const message = `this server does not take ${merchant.mode} payments on ${chain}`
    throw invalidBody([{ path: 'chain', message }])
  }
  const facts = chainFacts(merchant.mode, chain)
  const token = lower(facts.usdc)

  const requested = request.wallet_address as Address | undefined
  const wallet = requested ? lower(requested) : merchant.wallets[chain]
  const fault = walletFault({ requested, wallet, token, merchant, chain })
  if (fault !== null || !wallet) throw new HttpError('wallet_invalid', fault ?? 'No wallet.')

  const expiresInMinutes = clampMinutes(request.expires_in_minutes)
  const now = context.clock(facts.chainId)
  const id = context.newId(now)
  const expiresAt = Math.floor(now / 1000) + expiresInMinutes * 60
  const amount = BigInt(request.amount_units)
  return {
    id,
    merchantId: merchant.id,
    mode: merchant.mode,
    chain,
    chainId: facts.chainId,
    token,
    wallet,
    amount,
    reference: paymentReference(
      {
        id,
        chainId: facts.chainId,
        token,
        to: wallet,
        amount,
        expiresAt,
        salt: context.salt,
      },
      context.keccak256,
    ),
    salt: context.salt,
    confirmationsRequired: merchant.confirmations[chain] ?? usualConfirmations,
    lane: request.lane ?? 'sdk',
    paymentLink: context.paymentLink ?? null,
    metadata,
    createdAt: now,
    expiresAt,
    expiresInMinutes,
  }
}

/** The intent of {@link newTerms}, before any payment. */
export function newIntent(
  terms: Terms,
  payable: { payable: bigint; referenceOnly: boolean },
): Intent {
  return {
    ...terms,
    ...payable,
    status: 'requires_payment',
    version: 1,
    sequence: 1,
    confirmations: 0,
    txHash: null,
    exceptions: [],
    accepted: null,
    transfers: [],
    ...{ refunded: 0n, refunding: 0n, openedAt: null, succeededAt: null },
  }
}

function clampMinutes(minutes: number = limits.expiresInMinutes.default): number {
  return Math.min(limits.expiresInMinutes.max, Math.max(limits.expiresInMinutes.min, minutes))
}

function walletFault(input: {
  requested: Address | undefined
  wallet: Address | undefined
  token: Address
  merchant: Merchant
  chain: Chain
}): string | null {
  const { requested, wallet, token, merchant, chain } = input
  if (!wallet) {
    return `The merchant has no ${chain} wallet in ${merchant.mode} mode, and the request names no wallet: configure a wallet, or pass wallet_address.`
  }
  if (requested && isMixedCase(requested) && !isAddress(requested)) {
    return `The EIP-55 checksum of wallet_address ${requested} does not match: a character is wrong. Send it all in lower case only if you are sure of it.`
  }
  if (wallet === zeroAddress) return 'The zero address cannot receive a payment.'
  if (wallet === token)
    return 'The recipient is the USDC contract itself; funds sent there are lost.'
  if (
    requested &&
    merchant.allowedWallets.length > 0 &&
    !merchant.allowedWallets.includes(wallet)
  ) {
    return `${requested} is not in the merchant's list of allowed wallets.`
  }
  return null
}

/**
 * The error for a wallet of another merchant.
 * @param requested absent: the configured wallet, which another merchant has proven
 */
export function walletInUse(requested: string | undefined): string {
  if (requested === undefined) {
    return 'Another merchant of this service has proven by a signature that it holds the wallet that you configured for this chain. Prove it, too: in the dashboard, Settings, Wallets. If it is not yours, set another wallet there, or send wallet_address.'
  }
  return `${requested} is the wallet of another merchant of this service, so payments there could not be told apart. Pass an address that is only yours, or prove by a signature that you hold this address.`
}

function isMixedCase(address: Address): boolean {
  const digits = address.slice(2)
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
