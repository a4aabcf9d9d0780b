import { fromBase64 } from './base64.ts'
import { WebhookVerificationError } from './webhookVerificationError.ts'

/** Fetch `Headers`, or Node's `request.headers`; names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

export type SignedHeaders = {
  readonly id: string
  /** Unix seconds, in the digits that were signed. */
  readonly timestamp: string
  /** Signatures of version `v1`; at least one. */
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

// A rotation needs two. Each costs a hash of the body, and the sender is not verified yet.
const maxSignatures = 8

/** @throws WebhookVerificationError `header_missing`, `header_invalid` */
export function signedHeaders(headers: WebhookHeaders): SignedHeaders {
  const [id, timestamp, signature] = names.map((name) => headerOf(headers, name))
  if (!id || !timestamp || !signature) throw missing(headers)
  // The standard forbids full stops in an id, which would make the signed text ambiguous.
  if (!/^[!-\-/-~]+$/.test(id)) throw invalid('webhook-id', 'holds a character that no id has')
  if (!/^\d{1,15}$/.test(timestamp)) throw invalid('webhook-timestamp', 'is not in Unix seconds')
  const v1Signatures = signature.split(' ').filter((each) => each.startsWith('v1,'))
  if (v1Signatures.length === 0) throw invalid('webhook-signature', 'has no v1 signature')
  if (v1Signatures.length > maxSignatures) {
    throw invalid('webhook-signature', `has more than ${maxSignatures} v1 signatures`)
  }
  const signatures = v1Signatures.flatMap((each) => fromBase64(each.slice('v1,'.length)) ?? [])
  if (signatures.length === 0) throw invalid('webhook-signature', 'is not v1, followed by base64')
  return { id, timestamp, signatures }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers !== 'object' || headers === null) return ''
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const values = Array.isArray(value) ? value : [value]
  return values.filter((each) => typeof each === 'string').join(' ')
}

function missing(headers: WebhookHeaders) {
  const absent = names.filter((name) => !headerOf(headers, name))
  const last = absent.pop()
  const list = absent.length === 0 ? last : `${absent.join(', ')} and ${last}`
  return new WebhookVerificationError(
    'header_missing',
    `The request has no ${list}. Pass all of its headers, as Fetch Headers or as Node's request.headers. If they are ` +
      'all there, a proxy removes some, or the request is not from the payment service.',
  )
}

function invalid(name: (typeof names)[number], problem: string) {
  return new WebhookVerificationError(
    'header_invalid',
    `The header ${name} ${problem}. Either a proxy changes it, or the request is not from the payment ` +
      'service, which follows Standard Webhooks v1.',
  )
}
