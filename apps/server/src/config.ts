import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { type Chain, chains, type Mode, windows } from '@payment-intents/contract'
import { z } from 'zod'
import { findConflicts } from './config/findConflicts.ts'
import { type MailConfig, readMail } from './config/mail.ts'
import { type ChainConfig, readChainConfig, rpcVariable } from './config/readChainConfig.ts'
import {
  dashboardUrl,
  databaseUrl,
  days,
  logLevel,
  opensslLine,
  publicUrl,
  serverSecret,
  type TrustProxy,
  trustProxy,
  webhookTargets,
} from './config/schemas.ts'
import { findUnknownVariables, sentencesOf } from './config/unknownVariables.ts'
import { type Env, faultOf, flag, integer, listOf, type ReadVariable } from './config/variables.ts'
import { workers } from './config/workers.ts'
import { readTracing, type TracingConfig } from './lib/tracing/readTracing.ts'
import type { WebhookTarget } from './lib/webhookTargets.ts'
import type { Retention } from './store/retention.ts'

export type Config = {
  readonly host: string
  readonly port: number
  /** How many processes serve the port; 1: this process alone. */
  readonly workers: number
  /** How long the server still accepts connections after SIGTERM, so that balancers read `/readyz` first. */
  readonly shutdownDelayMs: number
  /** The address at which merchants and pages reach this server, without a trailing slash. */
  readonly publicUrl: string
  /** The dashboard's origin, and the port that serves it; null: no dashboard. */
  readonly dashboard: { readonly url: string; readonly port: number } | null
  readonly dataDir: string
  /** null: run the embedded PostgreSQL. */
  readonly databaseUrl: string | null
  /** Connections for requests. */
  readonly poolSize: number
  /** How long the server waits for its database as it starts. */
  readonly waitSeconds: number
  /** Milliseconds that a request waits for a statement. */
  readonly databaseTimeoutMs: number
  /** false: only the command `migrate` creates and changes the tables. */
  readonly databaseMigrate: boolean
  /** null: keep a secret in the data directory. */
  readonly serverSecret: string | null
  /** Secrets derived from these stay valid. */
  readonly previousSecrets: readonly string[]
  readonly chains: readonly ChainConfig[]
  readonly pollMs: number
  /** The maximum of resolves from one address in ten seconds. */
  readonly resolvesPerAddress: number
  /** How long old data is kept. */
  readonly retention: Retention
  /** null: no mail is sent. */
  readonly mail: MailConfig | null
  readonly logLevel: string
  /** null: nothing is traced. */
  readonly tracing: TracingConfig | null
  readonly trustProxy: TrustProxy
  /** For development: webhooks may go to this machine and its network. */
  readonly webhookAllowPrivate: boolean
  /** Private webhook targets that merchants may use. */
  readonly webhookAllowed: readonly WebhookTarget[]
  /** Sentences about settings that were perhaps meant otherwise. */
  readonly warnings: readonly string[]
}

export class ConfigError extends Error {}

const day = 24 * 60 * 60

/**
 * Reads the configuration from environment variables; the README's table lists them.
 *
 * @throws {ConfigError} one line per problem
 */
export function readConfig(env: Env): Config {
  const { config, development, faults, unknownVariables } = readVariables(env)
  const sentences = sentencesOf(unknownVariables)
  faults.push(...sentences.certain)
  if (faults.length === 0 && config.chains.length === 0) {
    faults.push(`No chain to follow: set at least one of ${chains.map(rpcVariable).join(', ')}.`)
  }
  if (faults.length > 0) throw new ConfigError([...faults, ...sentences.possible].join('\n'))
  const warnings = [...config.warnings, ...sentences.possible]
  if (development && !config.chains.some((chain) => chain.development)) {
    warnings.push(
      'DEVELOPMENT_CHAIN: no testnet has its RPC on this machine or its network, such as http://localhost:8545; it changes nothing',
    )
  }
  return { ...config, warnings }
}

/**
 * Reads the part of the configuration that a command needs to find the database.
 *
 * @throws {ConfigError} one line per problem
 */
export function readDatabaseConfig(
  env: Env,
): Pick<
  Config,
  'databaseUrl' | 'dataDir' | 'databaseMigrate' | 'serverSecret' | 'previousSecrets' | 'dashboard'
> {
  const { config, faults, unknownVariables } = readVariables(env)
  const sentences = sentencesOf(unknownVariables.filter(({ closest }) => ofDatabase.test(closest)))
  const databaseFaults = [...faults.filter((fault) => ofDatabase.test(fault)), ...sentences.certain]
  if (databaseFaults.length > 0) throw new ConfigError(databaseFaults.join('\n'))
  return config
}

const ofDatabase = /^(DATABASE_|DATA_DIR|DASHBOARD_)/

/** The names of this server's variables that are set. */
export function setVariables(env: Env): string[] {
  return readVariables(env).names.filter((name) => env[name])
}

function readVariables(env: Env) {
  const faults: string[] = []
  const names: string[] = []
  const read: ReadVariable = (name, schema) => {
    names.push(name)
    const value = env[name] || undefined
    const parsed = schema.safeParse(value)
    if (!parsed.success) faults.push(faultOf(name, value ?? '', schema, parsed.error))
    return parsed.data as z.output<typeof schema>
  }

  const apiPort = read('PORT', integer(0, 65_535, 4_242))
  const development = read('DEVELOPMENT_CHAIN', flag(false))
  const configuredUrl = read('DATABASE_URL', databaseUrl)
  const secret = read('SERVER_SECRET', serverSecret)
  const dashboardPort = read('DASHBOARD_PORT', integer(0, 65_535, apiPort === 0 ? 0 : apiPort + 1))
  const dashboard = read('DASHBOARD_URL', dashboardUrl)
  if (configuredUrl && !env.SERVER_SECRET) {
    faults.push(
      `SERVER_SECRET: must be set together with DATABASE_URL, the same for every server on that database; ${opensslLine}`,
    )
  }
  const { tracing, warnings } = readTracing(env)
  const config: Config = {
    host: read('HOST', z.string().default('localhost')),
    port: apiPort,
    workers: read('WORKERS', workers(availableParallelism())),
    // A developer has no balancer.
    shutdownDelayMs: 1_000 * read('SHUTDOWN_DELAY_SECONDS', integer(0, 300, development ? 0 : 5)),
    publicUrl: read('PUBLIC_URL', publicUrl(`http://localhost:${apiPort}`))?.replace(/\/+$/, ''),
    dashboard: dashboard ? { url: dashboard, port: dashboardPort } : null,
    dataDir: read(
      'DATA_DIR',
      z
        .string()
        .default('.data')
        .transform((path) => resolve(path)),
    ),
    databaseUrl: configuredUrl ?? null,
    poolSize: read('DATABASE_POOL_SIZE', integer(2, 200, 10)),
    waitSeconds: read('DATABASE_WAIT_SECONDS', integer(0, 86_400, 60)),
    databaseTimeoutMs: read('DATABASE_TIMEOUT_MS', integer(100, 600_000, 2_000)),
    databaseMigrate: read('DATABASE_MIGRATE', flag(true)),
    serverSecret: secret ?? null,
    previousSecrets: read('SERVER_SECRET_PREVIOUS', listOf(z.string().min(1)).optional()) ?? [],
    chains: chains.flatMap((facts) => readChainConfig(read, facts, development)),
    pollMs: read('POLL_INTERVAL_MS', integer(100, 3_600_000, development ? 500 : 2_000)),
    resolvesPerAddress: read('RESOLVES_PER_ADDRESS', integer(1, Number.MAX_SAFE_INTEGER, 1_000)),
    retention: {
      eventDays: read('RETENTION_EVENT_DAYS', days(windows.history / day, 30)),
      unpaidDays: read('RETENTION_UNPAID_DAYS', days(windows.history / day, 90)),
    },
    mail: readMail(read, env, (fault) => faults.push(fault)),
    logLevel: read('LOG_LEVEL', logLevel),
    trustProxy: read('TRUST_PROXY', trustProxy),
    webhookAllowPrivate: read('WEBHOOK_ALLOW_PRIVATE', flag(false)),
    webhookAllowed: read('WEBHOOK_ALLOW_HOSTS', webhookTargets) ?? [],
    tracing,
    warnings,
  }
  if (env.MAIL_FROM && !env.SMTP_URL) {
    warnings.push('MAIL_FROM: is not used without SMTP_URL: no mail is sent')
  }
  faults.push(...findConflicts(env, config, development))
  return { config, development, names, faults, unknownVariables: findUnknownVariables(env, names) }
}

/** `confirmations_required` by chain, of the chains followed in a mode. */
export function confirmationsOf(config: Config, mode: Mode): { [chain in Chain]?: number } {
  const followed = config.chains.filter((chain) => chain.facts.mode === mode)
  return Object.fromEntries(
    followed.map((chain) => [chain.facts.chain, chain.confirmationsRequired]),
  )
}
