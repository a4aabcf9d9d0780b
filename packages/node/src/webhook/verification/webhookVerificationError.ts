/** Every `code` of a {@link WebhookVerificationError}; closed, so that a `switch` over it can be exhaustive. */
export type WebhookVerificationErrorCode =
  | 'body_not_raw'
  | 'body_unreadable'
  | 'body_too_large'
  | 'body_invalid'
  | 'secret_missing'
  | 'secret_invalid'
  | 'option_invalid'
  | 'header_missing'
  | 'header_invalid'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'wrong_mode'
  | 'unsupported_runtime'

// In the global registry, so that the ESM copy, the CommonJS copy and other realms share it.
const brand = Symbol.for('@payment-intents/node/webhookVerificationError')

/**
 * The reason why a webhook was refused. `message` says what to do next; branch on `code`. Neither contains the secret,
 * the body or a header's value.
 *
 * @example
 * ```ts
 * import { isWebhookVerificationError, verifyWebhook } from '@payment-intents/node'
 *
 * export async function isGenuine(request: Request): Promise<boolean> {
 *   try {
 *     await verifyWebhook(await request.text(), request.headers)
 *     return true
 *   } catch (error) {
 *     if (!isWebhookVerificationError(error)) throw error
 *     console.warn(error.code, error.message)
 *     return false
 *   }
 * }
 * ```
 */
export class WebhookVerificationError extends Error {
  readonly code: WebhookVerificationErrorCode

  constructor(code: WebhookVerificationErrorCode, message: string) {
    super(message)
    this.code = code
  }

  override get name(): string {
    return 'WebhookVerificationError'
  }

  get [brand](): true {
    return true
  }

  toJSON(): Record<string, unknown> {
    return { name: this.name, code: this.code, message: this.message }
  }
}

/**
 * Whether a caught value is a {@link WebhookVerificationError}. Unlike `instanceof`, this also works when the package
 * is loaded twice, such as once as ESM and once as CommonJS.
 */
export function isWebhookVerificationError(value: unknown): value is WebhookVerificationError {
  return typeof value === 'object' && value !== null && brand in value
}
