import { parseArgs } from 'node:util'
import { flagIssue } from '@payment-intents/contract/options'
import { UsageError } from './usageError.ts'

const flags = {
  'forward-to': { type: 'string', short: 'f' },
  events: { type: 'string', short: 'e' },
  since: { type: 'string' },
  'base-url': { type: 'string' },
  // Not `--env-file`: Node reads that flag itself, wherever it stands.
  env: { type: 'string' },
  live: { type: 'boolean' },
  format: { type: 'string' },
  override: { type: 'string', multiple: true },
  add: { type: 'string', multiple: true },
  'print-secret': { type: 'boolean' },
  json: { type: 'boolean' },
  key: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  transfers: { type: 'boolean' },
  refunds: { type: 'boolean' },
  amount: { type: 'string' },
  description: { type: 'string' },
  chains: { type: 'string' },
  'max-payments': { type: 'string' },
  'expires-at': { type: 'string' },
  picture: { type: 'string' },
  active: { type: 'boolean' },
  type: { type: 'string' },
  payment: { type: 'string' },
  limit: { type: 'string' },
  endpoint: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

type Flag = keyof typeof flags

const flagsOfAll: readonly Flag[] = ['base-url', 'env', 'help', 'version']
const flagsOf: Readonly<Record<string, readonly Flag[]>> = {
  listen: ['forward-to', 'events', 'since', 'live', 'format', 'print-secret'],
  trigger: ['forward-to', 'override', 'add', 'format'],
  find: ['key', 'json', 'format'],
  export: ['from', 'to', 'transfers', 'refunds'],
  events: ['type', 'payment', 'limit', 'endpoint', 'json'],
  link: [
    ...(['amount', 'description', 'chains', 'max-payments', 'expires-at', 'picture'] as const),
    ...(['active', 'json'] as const),
  ],
}

export const commands: readonly string[] = Object.keys(flagsOf)

/** Parses a command line. @throws UsageError, or an error of `parseArgs` */
export function readFlags(args: readonly string[]) {
  const unknown = flagIssue(args, Object.keys(flags))
  if (unknown !== undefined) throw new UsageError(unknown)
  return parseArgs({ args: [...args], allowPositionals: true, options: flags })
}

/** Rejects a flag of another command, which would be ignored. */
export function checkFlags(command: string, values: { readonly [flag in Flag]?: unknown }): void {
  const allowed = flagsOf[command]
  const flags = Object.keys(values) as Flag[]
  const surplus = flags.find((flag) => !allowed?.includes(flag) && !flagsOfAll.includes(flag))
  if (!allowed || surplus === undefined) return
  const others = commands.filter((name) => flagsOf[name]?.includes(surplus))
  throw new UsageError(`--${surplus} is for ${listed(others)}.`)
}

/** `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ')
}
