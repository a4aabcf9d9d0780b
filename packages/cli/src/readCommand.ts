import {
  type Event,
  type ExportCsv,
  eventTypeSchema,
  listEventsSchema,
} from '@payment-intents/contract'
import { nearestName } from '@payment-intents/contract/options'
import { type EventsCommand, readEvents } from './events/readEvents.ts'
import { checkFlags, commands, readFlags } from './flags.ts'
import { isLoopback } from './isLoopback.ts'
import { type LinkCommand, readLink } from './link/readLink.ts'
import { readTime } from './readTime.ts'
import type { FieldChange } from './trigger/changeField.ts'
import { fixture } from './trigger/fixture.ts'
import { UsageError } from './usageError.ts'

export type ListenOptions = {
  readonly apiKey: string
  readonly baseUrl: string
  /** The URL that events are posted to; undefined: they are only shown. */
  readonly forwardTo: URL | undefined
  /** The types to show and post; undefined: all. */
  readonly types: readonly string[] | undefined
  /** Begins after this event; undefined: with the next new event. */
  readonly since: string | undefined
  readonly format: 'text' | 'json'
}

export type TriggerOptions = {
  /** The made-up event. */
  readonly event: Event
  /** On this machine. */
  readonly forwardTo: URL
  /** PAYMENT_INTENTS_WEBHOOK_SECRET; undefined: the secret of `listen`. */
  readonly secret: string | undefined
  /** Empty if there is none. */
  readonly apiKey: string
  readonly format: 'text' | 'json'
}

export type Command =
  | { readonly type: 'help' | 'version' }
  | { readonly type: 'listen'; readonly options: ListenOptions }
  | { readonly type: 'trigger'; readonly options: TriggerOptions }
  | { readonly type: 'print_secret'; readonly apiKey: string }
  | { readonly type: 'find'; readonly options: FindOptions }
  | { readonly type: 'export'; readonly options: ExportOptions }
  | { readonly type: 'link'; readonly options: LinkOptions }
  | { readonly type: 'events'; readonly options: EventsOptions }
  | { readonly type: 'wrong'; readonly message: string }

type Service = { readonly apiKey: string; readonly baseUrl: string }

export type FindOptions = Service & {
  readonly text: string
  /** The metadata key that holds the merchant's order id. */
  readonly key: string
  readonly format: 'text' | 'json'
}

export type ExportOptions = Service &
  Pick<ExportCsv, 'what'> & {
    /** RFC 3339, inclusive. */
    readonly from: string
    /** RFC 3339, exclusive. */
    readonly to: string
  }

type LinkOptions = Service & { readonly command: LinkCommand }
type EventsOptions = Service & { readonly command: EventsCommand }

type Environment = Readonly<Record<string, string | undefined>>

const subjectPrefixes = new Map([
  ['listen', 0],
  ['find', 1],
  ['export', 0],
  ['link', 1],
  ['events', 2],
])

/**
 * Parses the command line. No message repeats a value, which may be a misplaced key.
 *
 * @param loadEnvFile adds a file's variables to `environment` and overrides none
 */
export function readCommand(
  args: readonly string[],
  environment: Environment,
  loadEnvFile: (path: string) => void,
): Command {
  try {
    return read(args, environment, loadEnvFile)
  } catch (error) {
    if (error instanceof UsageError) return { type: 'wrong', message: error.message }
    const { code, message } = error as { code?: unknown; message: string }
    if (!String(code).startsWith('ERR_PARSE_ARGS_')) throw error
    const [problem = ''] = message.split(/\.\s/, 1)
    return { type: 'wrong', message: `${problem.replace(/\.$/, '')}.` }
  }
}

function read(
  args: readonly string[],
  environment: Environment,
  loadEnvFile: (path: string) => void,
): Command {
  if (args.some((arg) => /^--api[-_]?key/i.test(arg))) {
    throw new UsageError(
      '--api-key is not a flag: the key would stay in the history of your shell. Set PAYMENT_INTENTS_API_KEY.',
    )
  }
  const { values, positionals } = readFlags(args)
  if (values.help || args.length === 0) return { type: 'help' }
  if (values.version) return { type: 'version' }
  const envFile = values.env
  if (envFile !== undefined) {
    try {
      loadEnvFile(envFile)
    } catch {
      throw new UsageError('--env must be a file that can be read, like .env.')
    }
  }
  const [command = '', ...subjects] = positionals
  checkFlags(command, values)
  if (command === 'trigger') {
    return { type: 'trigger', options: readTrigger(subjects, values, environment) }
  }
  if (subjects.length > (subjectPrefixes.get(command) ?? -1)) {
    const nearest = commands.includes(command) ? undefined : nearestName(command, commands)
    throw new UsageError(
      nearest === undefined
        ? `The commands are ${commands.slice(0, -1).join(', ')} and ${commands.at(-1)}: see --help.`
        : `${command} is not a command. Did you mean ${nearest}? See --help.`,
    )
  }
  // Commands that read payments or create links need no `--live`: they move no money.
  const isListening = command === 'listen'
  const apiKey = readApiKey(
    environment.PAYMENT_INTENTS_API_KEY,
    !isListening || values.live === true,
  )
  const baseUrl = values['base-url'] ?? environment.PAYMENT_INTENTS_BASE_URL
  if (command === 'find') {
    const text = readText(subjects[0])
    const format = values.json ? 'json' : readFormat(values.format ?? 'text')
    const key = values.key ?? 'order_id'
    return { type: 'find', options: { apiKey, baseUrl: readBaseUrl(baseUrl), text, key, format } }
  }
  if (command === 'export') {
    const period = readPeriod(values.from, values.to)
    const kind = readExportKind(values)
    return {
      type: 'export',
      options: { apiKey, baseUrl: readBaseUrl(baseUrl), what: kind, ...period },
    }
  }
  if (command === 'link') {
    const link = readLink(subjects[0], values)
    return { type: 'link', options: { apiKey, baseUrl: readBaseUrl(baseUrl), command: link } }
  }
  if (command === 'events') {
    const events = readEvents(subjects, values)
    return { type: 'events', options: { apiKey, baseUrl: readBaseUrl(baseUrl), command: events } }
  }
  if (values['print-secret']) return { type: 'print_secret', apiKey }
  const options: ListenOptions = {
    apiKey,
    baseUrl: readBaseUrl(baseUrl),
    forwardTo: optional(values['forward-to'], readTarget),
    types: optional(values.events, readTypes),
    since: optional(values.since, readSince),
    format: readFormat(values.format ?? 'text'),
  }
  return { type: 'listen', options }
}

function readTrigger(
  types: readonly string[],
  values: { 'forward-to'?: string; override?: string[]; add?: string[]; format?: string },
  environment: Environment,
): TriggerOptions {
  const type = eventTypeSchema.options.find((option) => option === types[0])
  if (!type || types.length !== 1) {
    const { options } = eventTypeSchema
    const [text = ''] = types
    const nearest = types.length === 1 ? nearestName(text, options) : undefined
    throw new UsageError(
      nearest === undefined
        ? `trigger needs one type of event, of these: ${options.join(', ')}.`
        : `${text} is not a type of event. Did you mean ${nearest}?`,
    )
  }
  if (values['forward-to'] === undefined) {
    throw new UsageError(
      '--forward-to is missing: the address of your webhook handler, like localhost:3000/webhooks.',
    )
  }
  const forwardTo = readTarget(values['forward-to'])
  if (!isLoopback(forwardTo.hostname)) {
    throw new UsageError(
      'trigger posts to this machine only, like localhost:3000, since nobody has made the payment that it posts.',
    )
  }
  const secret = environment.PAYMENT_INTENTS_WEBHOOK_SECRET || undefined
  const apiKey = environment.PAYMENT_INTENTS_API_KEY ?? ''
  if (secret === undefined && apiKey === '') {
    throw new UsageError(
      'The signing secret is missing. Set PAYMENT_INTENTS_WEBHOOK_SECRET to the secret of your handler, or PAYMENT_INTENTS_API_KEY to sign with the secret of listen.',
    )
  }
  const { override = [], add = [] } = values
  const changes = [
    ...override.map((text) => readChange('--override', text)),
    ...add.map((text) => readChange('--add', text)),
  ]
  return {
    event: fixture(type, changes),
    forwardTo,
    secret,
    apiKey,
    format: readFormat(values.format ?? 'text'),
  }
}

function readChange(flag: FieldChange['flag'], text: string): FieldChange {
  const [, path, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (path !== undefined && value !== undefined) return { flag, path, value }
  const example = flag === '--add' ? 'metadata.order_id=1042' : 'amount_units=5000000'
  throw new UsageError(`${flag} must be a field and its value, like ${example}.`)
}

function optional<Value>(
  value: string | undefined,
  read: (value: string) => Value,
): Value | undefined {
  return value === undefined ? undefined : read(value)
}

function readApiKey(apiKey: string | undefined, live: boolean): string {
  if (!apiKey) {
    throw new UsageError(
      'The API key is missing. Set PAYMENT_INTENTS_API_KEY to a test key of yours, sk_test_….',
    )
  }
  if (!live && apiKey.startsWith('sk_') && !apiKey.startsWith('sk_test_')) {
    throw new UsageError(
      'PAYMENT_INTENTS_API_KEY is not a test key, sk_test_…. Set a test key, or pass --live to listen to real payments.',
    )
  }
  return apiKey
}

function readBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl) return baseUrl
  throw new UsageError(
    'The address of the service is missing. Set PAYMENT_INTENTS_BASE_URL or pass --base-url, like http://localhost:4242.',
  )
}

/** Accepts an address without `http://`, as browsers do. */
function readTarget(value: string): URL {
  const text = value.includes('://') ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(
      '--forward-to must be the address of your webhook handler, like http://localhost:3000/webhooks.',
    )
  }
  if (url.username || url.password) {
    throw new UsageError('--forward-to must hold no user and no password.')
  }
  return url
}

function readTypes(value: string): string[] {
  const types = value.split(',').map((type) => type.trim())
  const names: readonly string[] = eventTypeSchema.options
  if (types.every((type) => names.includes(type))) return types
  throw new UsageError(
    `--events must be one or more of these, separated by commas: ${names.join(',')}.`,
  )
}

function readSince(value: string): string {
  if (listEventsSchema.safeParse({ starting_after: value }).success) return value
  throw new UsageError('--since must be the id of an event, evt_….')
}

function readFormat(value: string): 'text' | 'json' {
  const format = value.toLowerCase()
  if (format === 'text' || format === 'json') return format
  throw new UsageError('--format must be text or json.')
}

function readExportKind({ transfers, refunds }: { transfers?: boolean; refunds?: boolean }) {
  if (transfers && refunds) {
    throw new UsageError('Pass --transfers or --refunds: a file has one kind of rows.')
  }
  if (refunds) return 'refunds'
  return transfers ? 'transfers' : 'payment_intents'
}

function readText(value: string | undefined): string {
  const text = value?.trim()
  if (!text) {
    throw new UsageError(
      'The search text is missing: the id of a payment intent, an order id, a transaction, an address, an amount or a reference.',
    )
  }
  if (/^(sk_|whsec_)/.test(text))
    throw new UsageError(
      'The search text is a key or a secret. Search for an id, an address or an amount.',
    )
  return text
}

/** The end defaults to now. */
function readPeriod(from: string | undefined, to: string | undefined) {
  if (from === undefined) throw new UsageError('--from is missing: the start of the period.')
  const period = {
    from: readTime('--from', from),
    to: to === undefined ? new Date().toISOString() : readTime('--to', to),
  }
  if (period.from >= period.to) throw new UsageError('--from must be before --to.')
  return period
}
