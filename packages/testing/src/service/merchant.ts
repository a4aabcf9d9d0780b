import {
  type Address,
  type Chain,
  chainFacts,
  chainNames,
  type Mode,
} from '@payment-intents/contract'
import type { OptionNames } from '@payment-intents/contract/options'
import type * as rules from '@payment-intents/core'
import { readGuide, readSupport, returnOriginOf } from '@payment-intents/core'
import { checkOptions } from '../lib/checkOptions.ts'

export type MerchantOptions = {
  /** The merchant's name in the checkout; `Test Shop` by default. */
  merchantName?: string
  /** The merchant's contact in the checkout, a mail address or an https URL; none by default. */
  support?: string
  /** The merchant's page about how to get USDC, or `none` to show no guide; the checkout's guide by default. */
  guide?: string
  /** The mode of the API key; `testnet` by default. */
  mode?: Mode
  /** The merchant's default wallets; the same wallet on both chains by default. */
  wallets?: { [chain in Chain]?: Address }
  /** Wallets that pay refunds, besides `wallets`; none by default. */
  refundWallets?: readonly Address[]
  /** The origins that pages may lead back to, such as `https://shop.example`; none by default. */
  returnOrigins?: readonly string[]
  /** Whether the plain price pays the only open intent of that price at these wallets; `false` by default. */
  matchPlainPrice?: boolean
  /** The default chain of requests; `base` by default. */
  defaultChain?: Chain
  /** `confirmations_required` of new intents; 5 on Base and 20 on Polygon by default. */
  confirmations?: { [chain in Chain]?: number }
}

export const merchantOptions: OptionNames<MerchantOptions> = {
  ...{
    merchantName: true,
    support: true,
    guide: true,
    mode: true,
    wallets: true,
    refundWallets: true,
    returnOrigins: true,
    defaultChain: true,
  },
  ...{ matchPlainPrice: true, confirmations: true },
}

/** The merchant of a test service. Its requests can change the settings. */
export type Merchant = Omit<rules.Merchant, 'defaultChain' | 'confirmations'> & {
  name: string
  support: string | null
  guide: string | null
  /** `#rrggbb`. */
  accent: string | null
  logo: rules.Picture | null
  defaultChain: Chain | null
  /** The chains at whose wallet the plain price pays. */
  matchPlainPrice: ReadonlySet<Chain>
  /** The merchant's values. */
  confirmations: { readonly [chain in Chain]?: number }
  /** Lower-case. */
  readonly refundWallets: readonly Address[]
  /** The origins at the start. */
  readonly returnOrigins: readonly string[]
  /** The server's values, for chains without a merchant's value. */
  readonly serverConfirmations: { readonly [chain in Chain]: number }
}

const shop: Address = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'

export function merchantOf(options: MerchantOptions): Merchant {
  const { mode = 'testnet', defaultChain = null, confirmations } = options
  const { matchPlainPrice = false } = options
  const { merchantName: name = 'Test Shop' } = options
  const { wallets = ofEachChain(() => shop) } = options
  const chains = ofEachChain((): true => true)
  checkOptions('wallets', wallets, chains, 'chain')
  if (confirmations !== undefined) checkOptions('confirmations', confirmations, chains, 'chain')
  const usual = ofEachChain((chain) => chainFacts(mode, chain).confirmationsRequired)
  const lowerCase = Object.entries(wallets).map(([chain, wallet]) => [chain, wallet.toLowerCase()])
  return {
    id: 'mer_test',
    name,
    support: supportOf(options.support),
    guide: guideOf(options.guide),
    ...{ accent: null, logo: null },
    mode,
    defaultChain,
    wallets: Object.fromEntries(lowerCase),
    allowedWallets: [],
    refundWallets: (options.refundWallets ?? []).map((wallet) => wallet.toLowerCase() as Address),
    returnOrigins: (options.returnOrigins ?? []).map(originOf),
    matchPlainPrice: new Set(matchPlainPrice ? chainNames : []),
    confirmations: {},
    serverConfirmations: { ...usual, ...confirmations },
  }
}

function originOf(text: string): string {
  const origin = returnOriginOf(text)
  if (origin !== null && [origin, `${origin}/`].includes(text)) return origin
  throw new TypeError(`\`returnOrigins\` must be origins like https://shop.example: ${text}`)
}

function supportOf(contact: string | undefined): string | null {
  if (contact === undefined) return null
  const support = readSupport(contact)
  if (support !== null) return support
  throw new TypeError(`\`support\` must be a mail address or an https URL: ${contact}`)
}

function guideOf(page: string | undefined): string | null {
  if (page === undefined) return null
  const guide = readGuide(page)
  if (guide !== null) return guide
  throw new TypeError(`\`guide\` must be an https URL or none: ${page}`)
}

export function ofEachChain<Value>(of: (chain: Chain) => Value): Record<Chain, Value> {
  const entries = chainNames.map((chain) => [chain, of(chain)])
  return Object.fromEntries(entries)
}
