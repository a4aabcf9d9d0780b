import type { ExportCsv } from '@payment-intents/contract'
import { nearestName } from '@payment-intents/contract/options'
import { type EventsCommand, readEvents } from './events/readEvents.ts'
import { checkFlags, commands, readFlags } from './flags.ts'
import { type LinkCommand, readLink } from './link/readLink.ts'
import { type ListenCommand, readListen } from './listen/readListen.ts'
import { readFormat } from './readFormat.ts'
import { readTime } from './readTime.ts'
import { readTrigger, type TriggerOptions } from './trigger/readTrigger.ts'
import { UsageError } from './usageError.ts'

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

export type ListenOptions = Service & ListenCommand

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

const maxSubjects = new Map([
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
  if (subjects.length > (maxSubjects.get(command) ?? -1)) {
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
  const service = (): Service => ({
    apiKey,
    baseUrl: readBaseUrl(values['base-url'] ?? environment.PAYMENT_INTENTS_BASE_URL),
  })
  if (command === 'find') {
    const text = readText(subjects[0])
    const format = values.json ? 'json' : readFormat(values.format ?? 'text')
    return { type: 'find', options: { ...service(), text, key: values.key ?? 'order_id', format } }
  }
  if (command === 'export') {
    const period = readPeriod(values.from, values.to)
    const what = readExportKind(values)
    return { type: 'export', options: { ...service(), what, ...period } }
  }
  if (command === 'link') {
    const link = readLink(subjects[0], values)
    return { type: 'link', options: { ...service(), command: link } }
  }
  if (command === 'events') {
    const events = readEvents(subjects, values)
    return { type: 'events', options: { ...service(), command: events } }
  }
  if (values['print-secret']) return { type: 'print_secret', apiKey }
  return { type: 'listen', options: { ...service(), ...readListen(values) } }
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
