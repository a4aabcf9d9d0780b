import {
  type Address,
  type Chain,
  chainFacts,
  chainNames,
  type Mode,
  type X402Requirements,
  x402Requirements,
} from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import { type Issue, rejected } from '../errors/paymentIntentsError.ts'
import { checkOptions, clientOptions } from '../options/checkOptions.ts'
import type { ClientOptions } from '../options/clientOptions.ts'
import { toUnits } from '../toUnits.ts'

/** The price of a call of a route, and the wallet that gets it. */
export type PaymentTerms = {
  /** In USDC, such as `'0.01'`; else pass `amount_units`. */
  price?: string
  /** In units of 0.000001 USDC. */
  amount_units?: number
  /** `base` by default. */
  chain?: Chain
  /** Your wallet, or another wallet that your merchant account may name as `wallet_address`. */
  wallet: string
  /** Shown to the payer; such as `One weather report`. */
  description?: string
  /** The payment intent's metadata. Pass the same for every call, so that the service recognises a repeated payment. */
  metadata?: Record<string, unknown>
}

export type PaymentRequiredOptions = ClientOptions & {
  /** Receives the error if a payment cannot be submitted, such as a network error; `console.error` by default. */
  onError?: ((error: unknown) => unknown) | undefined
}

const termNames: OptionNames<PaymentTerms> = {
  ...{ price: true, amount_units: true, chain: true, wallet: true, description: true },
  metadata: true,
}
const optionNames: OptionNames<PaymentRequiredOptions> = { onError: true, ...clientOptions }

/** {@link PaymentTerms}, checked. */
export type Terms = {
  readonly amountUnits: number
  readonly chain: Chain
  readonly wallet: Address
  readonly description: string
  readonly metadata: Record<string, unknown>
}

/** How long an authorization must be valid. The payment intent that is created for it lives longer. */
const validSeconds = 120

/** @throws PaymentIntentsError `invalid_body` for an unknown option */
export function checkPaymentRequiredOptions(options: PaymentRequiredOptions): void {
  checkOptions(options, optionNames)
}

/** @throws PaymentIntentsError `invalid_body` */
export function checkTerms(terms: PaymentTerms): Terms {
  checkOptions(terms, termNames, 'term')
  const { price, chain = 'base', wallet, description = '', metadata = {} } = terms
  const amountUnits = price === undefined ? terms.amount_units : toUnits(price)
  const isAmount = Number.isSafeInteger(amountUnits) && Number(amountUnits) > 0
  const issues: Issue[] = []
  const check = (isSo: boolean, path: string, message: string) => {
    if (!isSo) issues.push({ path, message })
  }
  check(isAmount, 'amount_units', 'must be a positive integer; or pass price, such as 0.01')
  check(chainNames.includes(chain), 'chain', `must be one of ${chainNames.join(', ')}`)
  check(/^0x[\da-fA-F]{40}$/.test(wallet), 'wallet', 'must be 0x and 40 hexadecimal digits')
  check(typeof description === 'string', 'description', 'must be a text')
  if (issues.length === 0)
    return {
      ...{ amountUnits: Number(amountUnits), chain, wallet: wallet as Address },
      ...{ description, metadata },
    }
  const list = issues.map(({ path, message }) => `${path} ${message}`).join('; ')
  throw rejected('invalid_body', `The terms of paymentRequired are wrong: ${list}.`, issues)
}

export function requirementsOf(terms: Terms, mode: Mode): X402Requirements {
  return x402Requirements({
    chainId: chainFacts(mode, terms.chain).chainId,
    payTo: terms.wallet,
    amountUnits: terms.amountUnits,
    maxTimeoutSeconds: validSeconds,
  })
}
