import type { Event } from '@payment-intents/contract'
import { isRecord } from '../../errors/isRecord.ts'
import { WebhookVerificationError } from './webhookVerificationError.ts'

/**
 * Parses the event in a verified body. Only the fields that all events have are checked: an event written before an
 * upgrade may lack a field of its object and must still be accepted.
 *
 * @throws WebhookVerificationError `body_invalid`
 */
export function parseEvent(body: Uint8Array): Event {
  const event = parse(body)
  const problem = problemOf(event)
  if (problem === undefined) return event as Event
  throw new WebhookVerificationError(
    'body_invalid',
    `The body is signed, but is not an event: ${problem}. Check that this endpoint gets what it was made for, and that ` +
      'this package and the service have matching versions.',
  )
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

function problemOf(event: unknown): string | undefined {
  if (event === undefined) return 'it is not JSON'
  if (!isRecord(event)) return 'it is not an object'
  const { id, type, created_at, mode, sequence, data } = event
  if (!isText(id)) return 'id must be text'
  if (!isText(type)) return 'type must be text'
  if (!isText(created_at) || Number.isNaN(Date.parse(created_at)))
    return 'created_at must be a date'
  if (mode !== 'testnet' && mode !== 'mainnet') return 'mode must be testnet or mainnet'
  if (!Number.isSafeInteger(sequence)) return 'sequence must be an integer'
  if (!isRecord(data) || !isRecord(data.object)) return 'data.object must be an object'
  return undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
