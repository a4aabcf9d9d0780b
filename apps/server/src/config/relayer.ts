import type { ChainFacts } from '@payment-intents/contract'
import type { Hex } from 'viem'
import { parseUnits } from 'viem'
import { z } from 'zod'
import { looksRandom } from '../lib/crypto/entropy.ts'
import type { RelayLimits } from '../relayer/relayContext.ts'
import { notRandom, type ReadVariable } from './variables.ts'

/** The account that pays for the gas on a chain, and its spending limits. Never logged. */
export type RelayerConfig = RelayLimits & { readonly key: Hex }

/** Private keys are numbers from 1 to below this, the order of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const key = z
  .string()
  .regex(/^(0x)?[0-9a-fA-F]{64}$/)
  .transform((text) => `0x${text.replace(/^0x/, '').toLowerCase()}` as Hex)
  .refine((hex) => BigInt(hex) > 0n && BigInt(hex) < order)
  .refine((hex) => looksRandom(hex.slice(2)), notRandom)
  .optional()
  .describe(
    'the private key of an account that holds money for gas and nothing else, 64 random hexadecimal digits; make one with: openssl rand -hex 32',
  )

/** A decimal number, converted to an integer of 10^-decimals. */
function decimal(decimals: number) {
  return z
    .string()
    .regex(/^\s*\d{1,9}(\.\d{1,9})?\s*$/)
    .transform((text) => parseUnits(text.trim(), decimals))
    .refine((units) => units > 0n)
}

/** Many times the usual price: less than 0.1 gwei on Base, 30 to 300 on Polygon. */
const standards = {
  base: { maxFee: '5', dailySpend: '0.05' },
  polygon: { maxFee: '1000', dailySpend: '100' },
}

/**
 * Each merchant's share of a day's limit: an attacker of one merchant, or of four at once, leaves some to the others.
 * It is thousands of payments at usual prices, and hundreds at ten times those.
 */
const merchants = 5n

/** null without a key. */
export function readRelayer(read: ReadVariable, facts: ChainFacts): RelayerConfig | null {
  const standard = standards[facts.chain]
  const above = (unit: string, example: string) => `a number of ${unit} above 0, such as ${example}`
  const ofCoin = above(facts.nativeSymbol, standard.dailySpend)
  const relayerKey = read(relayerVariable('KEY', facts), key)
  const maxFeePerGas = read(
    relayerVariable('MAX_FEE_GWEI', facts),
    decimal(9).prefault(standard.maxFee).describe(above('gwei', standard.maxFee)),
  )
  const dailySpend = read(
    relayerVariable('DAILY_SPEND', facts),
    decimal(18).prefault(standard.dailySpend).describe(ofCoin),
  )
  // An invalid variable is undefined here, although its type excludes that.
  const defaultMerchantLimit = dailySpend && dailySpend / merchants
  const merchantDailySpend =
    read(relayerVariable('MERCHANT_DAILY_SPEND', facts), decimal(18).optional().describe(ofCoin)) ??
    defaultMerchantLimit
  return relayerKey ? { key: relayerKey, maxFeePerGas, dailySpend, merchantDailySpend } : null
}

export function relayerVariable(
  setting: 'KEY' | 'MAX_FEE_GWEI' | 'DAILY_SPEND' | 'MERCHANT_DAILY_SPEND',
  { chain, mode }: Pick<ChainFacts, 'chain' | 'mode'>,
): string {
  return `RELAYER_${setting}_${chain}_${mode}`.toUpperCase()
}
