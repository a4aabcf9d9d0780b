import { parseArgs } from 'node:util'
import { type EventType, eventTypeSchema, listEventsSchema } from '@payment-intents/contract'
import { isLoopback } from '../connection.ts'

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
  readonly type: EventType
  /** On this machine. */
  readonly forwardTo: URL
  /** Fields of the event's `data.object`. */
  readonly object: Readonly<Record<string, unknown>>
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
  | { readonly type: 'wrong'; readonly message: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Parses the command line. No message repeats a value, which may be a misplaced key. */
export function readCommand(args: readonly string[], environment: Environment): Command {
  try {
    return read(args, environment)
  } catch (error) {
    if (error instanceof WrongUsage) return { type: 'wrong', message: error.message }
    const { code, message } = error as { code?: unknown; message: string }
    if (!String(code).startsWith('ERR_PARSE_ARGS_')) throw error
    const [problem = ''] = message.split(/\.\s/, 1)
    return { type: 'wrong', message: `${problem.replace(/\.$/, '')}.` }
  }
}

class WrongUsage extends Error {}

function read(args: readonly string[], environment: Environment): Command {
  if (args.some((arg) => arg.startsWith('--api-key'))) {
    throw new WrongUsage(
      'There is no --api-key: it would stay in the history of your shell. Set PAYMENT_INTENTS_API_KEY.',
    )
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'forward-to': { type: 'string', short: 'f' },
      events: { type: 'string', short: 'e' },
      since: { type: 'string' },
      'base-url': { type: 'string' },
      live: { type: 'boolean' },
      format: { type: 'string' },
      object: { type: 'string' },
      'print-secret': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  if (values.help || args.length === 0) return { type: 'help' }
  if (values.version) return { type: 'version' }
  const [command, ...subjects] = positionals
  if (command === 'trigger') {
    return { type: 'trigger', options: readTrigger(subjects, values, environment) }
  }
  if (command !== 'listen' || subjects.length > 0) {
    throw new WrongUsage(
      'The commands are listen, and trigger with the type of an event, like trigger payment_intent.succeeded.',
    )
  }
  if (values.object !== undefined) throw new WrongUsage('--object is for trigger.')
  const apiKey = readApiKey(environment.PAYMENT_INTENTS_API_KEY, values.live === true)
  if (values['print-secret']) return { type: 'print_secret', apiKey }
  const options: ListenOptions = {
    apiKey,
    baseUrl: readBaseUrl(values['base-url'] ?? environment.PAYMENT_INTENTS_BASE_URL),
    forwardTo: optional(values['forward-to'], readTarget),
    types: optional(values.events, readTypes),
    since: optional(values.since, readSince),
    format: readFormat(values.format ?? 'text'),
  }
  return { type: 'listen', options }
}

function readTrigger(
  types: readonly string[],
  given: { 'forward-to'?: string; object?: string; format?: string },
  environment: Environment,
): TriggerOptions {
  const type = eventTypeSchema.options.find((known) => known === types[0])
  if (!type || types.length !== 1) {
    const known = eventTypeSchema.options.join(', ')
    throw new WrongUsage(`trigger needs one type of event, of these: ${known}.`)
  }
  if (given['forward-to'] === undefined) {
    throw new WrongUsage(
      'Where is your webhook handler? Pass --forward-to, like --forward-to localhost:3000/webhooks.',
    )
  }
  const forwardTo = readTarget(given['forward-to'])
  if (!isLoopback(forwardTo.hostname)) {
    throw new WrongUsage(
      'trigger posts to this machine only, like localhost:3000, since nobody has made the payment that it posts.',
    )
  }
  const secret = environment.PAYMENT_INTENTS_WEBHOOK_SECRET || undefined
  const apiKey = environment.PAYMENT_INTENTS_API_KEY ?? ''
  if (secret === undefined && apiKey === '') {
    throw new WrongUsage(
      'There is no secret to sign with. Set PAYMENT_INTENTS_WEBHOOK_SECRET to that of your handler, or PAYMENT_INTENTS_API_KEY for the secret of listen.',
    )
  }
  const object = given.object === undefined ? {} : readObject(given.object)
  return { type, forwardTo, object, secret, apiKey, format: readFormat(given.format ?? 'text') }
}

function readObject(given: string): Record<string, unknown> {
  try {
    const object = JSON.parse(given)
    if (typeof object === 'object' && object !== null && !Array.isArray(object)) return object
  } catch {}
  throw new WrongUsage(
    `--object must be JSON, like '{ "id": "pi_…", "metadata": { "order_id": "1042" } }'.`,
  )
}

function optional<Value>(
  given: string | undefined,
  read: (given: string) => Value,
): Value | undefined {
  return given === undefined ? undefined : read(given)
}

function readApiKey(apiKey: string | undefined, live: boolean): string {
  if (!apiKey) {
    throw new WrongUsage(
      'There is no API key. Set PAYMENT_INTENTS_API_KEY to a test key of yours, sk_test_….',
    )
  }
  if (!live && apiKey.startsWith('sk_') && !apiKey.startsWith('sk_test_')) {
    throw new WrongUsage(
      'PAYMENT_INTENTS_API_KEY is no test key, sk_test_…. Set one, or pass --live to listen to real payments.',
    )
  }
  return apiKey
}

function readBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl) return baseUrl
  throw new WrongUsage(
    'Where is the service? Set PAYMENT_INTENTS_BASE_URL or pass --base-url, like http://localhost:4242.',
  )
}

/** Accepts an address without `http://`, as browsers do. */
function readTarget(given: string): URL {
  const text = given.includes('://') ? given : `http://${given}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new WrongUsage(
      '--forward-to must be the address of your webhook handler, like http://localhost:3000/webhooks.',
    )
  }
  if (url.username || url.password) {
    throw new WrongUsage('--forward-to must hold no user and no password.')
  }
  return url
}

function readTypes(given: string): string[] {
  const types = given.split(',').map((type) => type.trim())
  const known: readonly string[] = eventTypeSchema.options
  if (types.every((type) => known.includes(type))) return types
  throw new WrongUsage(`--events must be some of these, with commas in between: ${known.join(',')}`)
}

function readSince(given: string): string {
  if (listEventsSchema.safeParse({ starting_after: given }).success) return given
  throw new WrongUsage('--since must be the id of an event, evt_….')
}

function readFormat(given: string): 'text' | 'json' {
  const format = given.toLowerCase()
  if (format === 'text' || format === 'json') return format
  throw new WrongUsage('--format must be text or json.')
}
