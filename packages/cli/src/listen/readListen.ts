import { eventTypeSchema, listEventsSchema } from '@payment-intents/contract'
import { readFormat } from '../readFormat.ts'
import { UsageError } from '../usageError.ts'
import { readTarget } from './readTarget.ts'

/** The command `payment-intents listen`. */
export type ListenCommand = {
  /** The URL that events are posted to; undefined: they are only shown. */
  readonly forwardTo: URL | undefined
  /** The types to show and post; undefined: all. */
  readonly types: readonly string[] | undefined
  /** The event after which to begin; undefined: with the next new event. */
  readonly since: string | undefined
  readonly format: 'text' | 'json'
}

/** The unparsed flags of `listen`. */
type ListenFlags = {
  readonly 'forward-to'?: string
  readonly events?: string
  readonly since?: string
  readonly format?: string
}

/** @throws UsageError */
export function readListen(flags: ListenFlags): ListenCommand {
  return {
    forwardTo: optional(flags['forward-to'], readTarget),
    types: optional(flags.events, readTypes),
    since: optional(flags.since, readSince),
    format: readFormat(flags.format ?? 'text'),
  }
}

function optional<Value>(
  value: string | undefined,
  read: (value: string) => Value,
): Value | undefined {
  return value === undefined ? undefined : read(value)
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
