import { type EventType, eventTypeSchema, listEventsSchema } from '@payment-intents/contract'
import { nearestName } from '@payment-intents/contract/options'
import { UsageError } from '../usageError.ts'

/** The command `payment-intents events`. */
export type EventsCommand =
  | {
      readonly action: 'list'
      /** The number of events, newest first. */
      readonly count: number
      readonly type: EventType | undefined
      readonly paymentIntent: string | undefined
      readonly json: boolean
    }
  | {
      readonly action: 'resend'
      readonly event: string
      /** Undefined: to every enabled endpoint that subscribes to its type. */
      readonly endpoint: string | undefined
    }

/** The unparsed flags of `events`. */
export type EventsFlags = {
  readonly type?: string
  readonly payment?: string
  readonly limit?: string
  readonly endpoint?: string
  readonly json?: boolean
}

const flagsOfList = ['type', 'payment', 'limit', 'json'] as const

/** @throws UsageError */
export function readEvents(subjects: readonly string[], flags: EventsFlags): EventsCommand {
  const [action, event, surplus] = subjects
  if (action === 'list') {
    if (event !== undefined) throw new UsageError('events list takes only flags: see --help.')
    if (flags.endpoint !== undefined) throw new UsageError('--endpoint is for events resend.')
    return {
      action,
      count: readCount(flags.limit ?? '20'),
      type: flags.type === undefined ? undefined : readType(flags.type),
      paymentIntent: flags.payment === undefined ? undefined : readPayment(flags.payment),
      json: flags.json ?? false,
    }
  }
  if (action !== 'resend') throw new UsageError('events needs a subcommand: list or resend.')
  const listFlag = flagsOfList.find((name) => flags[name] !== undefined)
  if (listFlag) throw new UsageError(`--${listFlag} is for events list.`)
  if (surplus !== undefined || !isId('evt', event)) {
    throw new UsageError('events resend needs the id of one event, evt_….')
  }
  const { endpoint } = flags
  if (endpoint !== undefined && !isId('we', endpoint)) {
    throw new UsageError('--endpoint must be the id of a webhook endpoint, we_….')
  }
  return { action, event, endpoint }
}

function isId(prefix: string, text: string | undefined): text is string {
  return new RegExp(`^${prefix}_\\w+$`).test(text ?? '')
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UsageError('--limit must be a number from 1 to 999999.')
}

function readType(text: string): EventType {
  const parsed = eventTypeSchema.safeParse(text)
  if (parsed.success) return parsed.data
  const nearest = nearestName(text, eventTypeSchema.options)
  throw new UsageError(
    nearest === undefined
      ? `--type must be one of these: ${eventTypeSchema.options.join(', ')}.`
      : `--type ${text} is not a type of event. Did you mean ${nearest}?`,
  )
}

function readPayment(text: string): string {
  if (listEventsSchema.safeParse({ payment_intent: text }).success && isId('pi', text)) return text
  throw new UsageError('--payment must be the id of a payment intent, pi_….')
}
