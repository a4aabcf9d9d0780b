import { environment } from '../../options/environment.ts'
import { fromBase64 } from './base64.ts'
import { WebhookVerificationError } from './webhookVerificationError.ts'

export type SecretKey = Uint8Array<ArrayBuffer>

const prefix = 'whsec_'

/**
 * Decodes the keys of one or several secrets; of `PAYMENT_INTENTS_WEBHOOK_SECRET` by default.
 *
 * @throws WebhookVerificationError `secret_missing`, `secret_invalid`
 */
export function secretKeys(secret: unknown): SecretKey[] {
  const configured = secret ?? environment('PAYMENT_INTENTS_WEBHOOK_SECRET')
  const secrets: readonly unknown[] = Array.isArray(configured) ? [...configured] : [configured]
  if (secrets.length === 0) throw missing('The list of webhook secrets is empty')
  return secrets.map((each, index) => {
    const name =
      secrets.length === 1 ? 'webhook secret' : `webhook secret ${index + 1} of ${secrets.length}`
    if (each === undefined || each === null || each === '') throw missing(`There is no ${name}`)
    return keyOf(each, name)
  })
}

function keyOf(secret: unknown, name: string): SecretKey {
  const problem = problemOf(secret)
  if (problem !== undefined) throw invalid(name, problem)
  const text = String(secret).slice(prefix.length)
  // A double click in a terminal selects the text without the padding.
  const key = fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='))
  if (!key) throw invalid(name, 'is not whsec_ followed by base64')
  // Standard Webhooks, "Signature scheme".
  if (key.length < 24 || key.length > 64) throw invalid(name, 'is not of 24 to 64 bytes')
  return key
}

/** Explains common mistakes. */
function problemOf(secret: unknown): string | undefined {
  if (typeof secret !== 'string') return `is of type ${typeof secret} rather than text`
  if (secret.trim() !== secret) return 'has white space around it'
  if (/^["'`]|["'`]$/.test(secret)) return 'has quotes around it'
  if (secret.startsWith('sk_')) return 'is an API key'
  if (secret.includes('_secret_')) return "is a payment intent's client secret"
  if (!secret.startsWith(prefix)) return 'does not start with whsec_'
  return undefined
}

function missing(problem: string) {
  return new WebhookVerificationError(
    'secret_missing',
    `${problem}. Pass the secret of the webhook endpoint, whsec_…, or set PAYMENT_INTENTS_WEBHOOK_SECRET.`,
  )
}

function invalid(name: string, problem: string) {
  return new WebhookVerificationError(
    'secret_invalid',
    `The ${name} ${problem}. Copy the secret of the webhook endpoint again, whole: whsec_….`,
  )
}
