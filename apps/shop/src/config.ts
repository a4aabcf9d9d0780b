import { type Chain, networks } from './networks.ts'

export type Config = {
  readonly port: number
  readonly dataDir: string
  readonly apiKey: string
  /** Secret of the endpoint that posts to `/webhooks`. */
  readonly webhookSecret: string
  /** URL of the payment API, without a trailing slash. */
  readonly baseUrl: string
  /** The networks that the shop sells on; without a choice, a buyer pays on the first. */
  readonly chains: readonly Chain[]
  /** RPC URLs of the development chains; without one there is no demo wallet. */
  readonly rpcUrls: readonly string[]
  /** Private key of the wallet that pays refunds; null: the shop pays none. */
  readonly refundKey: `0x${string}` | null
}

/** Its message is a whole sentence for the person who starts the shop. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const required = [
  'PAYMENT_INTENTS_API_KEY',
  'PAYMENT_INTENTS_WEBHOOK_SECRET',
  'PAYMENT_INTENTS_BASE_URL',
] as const

/**
 * Reads the shop's settings from environment variables.
 *
 * @throws ConfigError naming the variable to set or to correct
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const missing = required.filter((name) => !env[name])
  if (missing.length > 0)
    throw new ConfigError(
      `The shop needs ${new Intl.ListFormat('en').format(missing)}: set what is missing, or run \`pnpm start\` at the root, which sets everything.`,
    )
  return {
    port: readPort(env.PORT ?? '4243'),
    dataDir: env.DATA_DIR || '.data/shop',
    apiKey: env.PAYMENT_INTENTS_API_KEY ?? '',
    webhookSecret: env.PAYMENT_INTENTS_WEBHOOK_SECRET ?? '',
    baseUrl: readUrl('PAYMENT_INTENTS_BASE_URL', env.PAYMENT_INTENTS_BASE_URL ?? ''),
    chains: readChains(env.SHOP_CHAINS || 'base'),
    rpcUrls: ['RPC_URL', 'RPC_URL_POLYGON'].flatMap((name) => {
      const url = env[name]
      return url ? [readUrl(name, url)] : []
    }),
    refundKey: env.REFUND_KEY ? readKey(env.REFUND_KEY) : null,
  }
}

function readChains(text: string): Chain[] {
  const chains = text.split(',').map((name) => name.trim())
  const unknown = chains.find((name) => !Object.hasOwn(networks, name))
  if (unknown !== undefined)
    throw new ConfigError(
      `SHOP_CHAINS must be chains separated by commas, of ${Object.keys(networks).join(', ')}, not "${text}".`,
    )
  return chains as Chain[]
}

/** Its error does not repeat the key. */
function readKey(text: string): `0x${string}` {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new ConfigError('REFUND_KEY must be a private key: 0x and 64 hexadecimal digits.')
  return text as `0x${string}`
}

function readPort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ConfigError(`PORT must be a number from 0 to 65535, not "${text}".`)
  return port
}

function readUrl(name: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text))
    throw new ConfigError(
      `${name} must be a URL that starts with http:// or https://, not "${text}".`,
    )
  return text.replace(/\/+$/, '')
}
