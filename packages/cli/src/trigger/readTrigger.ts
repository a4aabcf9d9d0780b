import { type Event, eventTypeSchema } from '@payment-intents/contract'
import { nearestName } from '@payment-intents/contract/options'
import { isLoopback } from '../isLoopback.ts'
import { readTarget } from '../listen/readTarget.ts'
import { readFormat } from '../readFormat.ts'
import { UsageError } from '../usageError.ts'
import type { FieldChange } from './changeField.ts'
import { fixture } from './fixture.ts'

/** The command `payment-intents trigger`. */
export type TriggerOptions = {
  /** The event to post, which is made up. */
  readonly event: Event
  /** The webhook handler, on this machine. */
  readonly forwardTo: URL
  /** PAYMENT_INTENTS_WEBHOOK_SECRET; undefined: the secret of `listen`. */
  readonly secret: string | undefined
  /** Empty if it is not set. */
  readonly apiKey: string
  readonly format: 'text' | 'json'
}

/** @throws UsageError */
export function readTrigger(
  types: readonly string[],
  values: { 'forward-to'?: string; override?: string[]; add?: string[]; format?: string },
  environment: Readonly<Record<string, string | undefined>>,
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
