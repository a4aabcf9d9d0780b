import { resolve } from 'node:path'
import { type Chain, type ChainFacts, chains, type Mode } from '@payment-intents/contract'
import type { Network } from '@payment-intents/rules'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** One network that is followed. */
export type ChainConfig = {
  readonly facts: ChainFacts
  readonly rpcUrls: readonly string[]
  readonly confirmationsRequired: number
  /** A local chain takes its place, which test helpers may change. */
  readonly development: boolean
  /** What wallets are given when they add the chain. */
  readonly network: Network
}

/** How many proxies stand in front, or their addresses; false: none. Clients can write what comes before these. */
export type TrustProxy = false | number | readonly string[]

export type Config = {
  readonly host: string
  readonly port: number
  /** Where merchants and pages reach this server, without a slash at the end. */
  readonly publicUrl: string
  readonly dataDir: string
  /** null: run the embedded PostgreSQL. */
  readonly databaseUrl: string | null
  /** Connections for requests. */
  readonly poolSize: number
  /** How long the server waits for its database as it starts. */
  readonly waitSeconds: number
  /** Milliseconds that a request waits for a statement. */
  readonly databaseTimeoutMs: number
  /** null: keep one in the data directory. */
  readonly serverSecret: string | null
  readonly chains: readonly ChainConfig[]
  readonly pollMs: number
  /** Resolves that one address may send in ten seconds. */
  readonly resolvesPerAddress: number
  readonly logLevel: string
  readonly trustProxy: TrustProxy
  /** For development: webhooks may go to this machine and its network. */
  readonly webhookAllowPrivate: boolean
  /** Sentences about what is set, and better were not. */
  readonly warnings: readonly string[]
}

export class ConfigError extends Error {}

type Env = Readonly<Record<string, string | undefined>>
/** Reads one variable, and keeps its fault if it has one. */
type Read = <Schema extends z.ZodType>(name: string, schema: Schema) => z.output<Schema>

const flag = z.stringbool().default(false)
const trustProxy = z
  .string()
  .default('false')
  .transform((text, context): TrustProxy => {
    if (/^(false|0)$/i.test(text)) return false
    if (/^true$/i.test(text)) return 1
    if (/^[1-9]\d?$/.test(text)) return Number(text)
    const addresses = text.split(',').map((part) => part.trim())
    if (addresses.every((address) => ipaddr.isValid(address) || ipaddr.isValidCIDR(address))) {
      return addresses
    }
    context.addIssue(
      'must be the number of proxies in front of this server, such as 1, or their addresses, such as 10.0.0.0/8,192.168.1.7',
    )
    return z.NEVER
  })
const port = z.coerce.number().int().min(0).max(65535)
const url = z.url({ protocol: /^(https?|wss?)$/ })

/**
 * Reads the configuration from environment variables; the README's table lists them.
 *
 * @throws {ConfigError} one line a faulty variable
 */
export function readConfig(env: Env): Config {
  const faults: string[] = []
  const read: Read = (name, schema) => {
    const parsed = schema.safeParse(env[name] || undefined)
    if (!parsed.success) {
      faults.push(`${name}: ${parsed.error.issues.map((issue) => issue.message).join(', ')}`)
    }
    return parsed.data as z.output<typeof schema>
  }

  const apiPort = read('PORT', port.default(4242))
  const development = read('DEVELOPMENT_CHAIN', flag)
  const databaseUrl = read('DATABASE_URL', z.url({ protocol: /^postgres(ql)?$/ }).optional())
  const serverSecret = read(
    'SERVER_SECRET',
    z
      .string()
      .min(32, 'must have at least 32 characters; make one with: openssl rand -hex 32')
      .optional(),
  )
  if (databaseUrl && !env.SERVER_SECRET) {
    faults.push(
      'SERVER_SECRET: must be set together with DATABASE_URL, the same for every server on that database; make one with: openssl rand -hex 32',
    )
  }
  const webhookAllowPrivate = read('WEBHOOK_ALLOW_PRIVATE', flag)
  const mainnets = chains
    .filter(({ mode }) => mode === 'mainnet')
    .map(rpcVariable)
    .filter((name) => env[name])
  if (development && mainnets.length > 0) {
    faults.push(
      `DEVELOPMENT_CHAIN: lets every holder of a test key move this server’s clock; unset it, or unset ${mainnets.join(' and ')}`,
    )
  }
  const config: Config = {
    host: read('HOST', z.string().default('localhost')),
    port: apiPort,
    publicUrl: read('PUBLIC_URL', url.default(`http://localhost:${apiPort}`))?.replace(/\/+$/, ''),
    dataDir: read(
      'DATA_DIR',
      z
        .string()
        .default('.data')
        .transform((path) => resolve(path)),
    ),
    databaseUrl: databaseUrl ?? null,
    poolSize: read('DATABASE_POOL_SIZE', z.coerce.number().int().min(2).max(200).default(10)),
    waitSeconds: read('DATABASE_WAIT_SECONDS', z.coerce.number().int().min(0).default(60)),
    databaseTimeoutMs: read(
      'DATABASE_TIMEOUT_MS',
      z.coerce.number().int().min(100).max(600_000).default(2_000),
    ),
    serverSecret: serverSecret ?? null,
    chains: chains.flatMap((facts) => readChain(read, facts, development)),
    pollMs: read(
      'POLL_INTERVAL_MS',
      z.coerce
        .number()
        .int()
        .min(100)
        .default(development ? 500 : 2_000),
    ),
    resolvesPerAddress: read('RESOLVES_PER_ADDRESS', z.coerce.number().int().min(1).default(1_000)),
    logLevel: read(
      'LOG_LEVEL',
      z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
    ),
    trustProxy: read('TRUST_PROXY', trustProxy),
    webhookAllowPrivate,
    warnings:
      webhookAllowPrivate && mainnets.length > 0
        ? [
            `WEBHOOK_ALLOW_PRIVATE lets every merchant post to this machine and its network; unset it beside ${mainnets.join(' and ')}`,
          ]
        : [],
  }
  if (faults.length === 0 && config.chains.length === 0) {
    faults.push(`No chain to follow: set at least one of ${chains.map(rpcVariable).join(', ')}.`)
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'))
  return config
}

/** Empty where no RPC is set. */
function readChain(read: Read, facts: ChainFacts, development: boolean): ChainConfig[] {
  const rpcUrls = read(rpcVariable(facts), z.preprocess(split, z.array(url)).optional())
  const confirmationsRequired = read(
    `CONFIRMATIONS_${facts.chain}_${facts.mode}`.toUpperCase(),
    z.coerce.number().int().min(1).max(200).default(facts.confirmationsRequired),
  )
  const [first] = rpcUrls ?? []
  if (!rpcUrls || !first) return []
  const local = development && facts.chain === 'base' && facts.mode === 'testnet'
  const { name, nativeSymbol } = facts
  const network = local
    ? { name, nativeSymbol, rpcUrl: first, explorerUrl: null }
    : { name, nativeSymbol, rpcUrl: facts.publicRpcUrl, explorerUrl: facts.explorerUrl }
  return [{ facts, rpcUrls, confirmationsRequired, development: local, network }]
}

/** The variable that names a chain's providers. */
export function rpcVariable({ chain, mode }: Pick<ChainFacts, 'chain' | 'mode'>): string {
  return `RPC_URL_${chain}_${mode}`.toUpperCase()
}

/** `confirmations_required` by chain, of the chains followed in a mode. */
export function confirmationsOf(config: Config, mode: Mode): { [chain in Chain]?: number } {
  const followed = config.chains.filter((chain) => chain.facts.mode === mode)
  return Object.fromEntries(
    followed.map((chain) => [chain.facts.chain, chain.confirmationsRequired]),
  )
}

function split(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value
}
