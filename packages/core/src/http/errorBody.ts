import type { ErrorBody } from '@payment-intents/contract'
import type { HttpError } from './httpError.ts'
import { withoutSecrets } from './withoutSecrets.ts'

/** Callers choose the names and values that errors quote: limit how many are quoted and their length. */
const maximums = { issues: 20, message: 600, path: 100 }

/**
 * The body of an error. Quotes of the request are truncated, and secrets that callers put in the wrong place are
 * masked.
 */
export function errorBody({ code, message, details }: HttpError, requestId: string): ErrorBody {
  const { issues, ...others } = details
  return {
    error: code,
    message: quoted(message, maximums.message),
    request_id: requestId,
    ...others,
    ...(issues && {
      issues: issues.slice(0, maximums.issues).map(({ path, message }) => ({
        path: quoted(path, maximums.path),
        message: quoted(message, maximums.message),
      })),
    }),
  }
}

function quoted(text: string, length: number): string {
  const masked = withoutSecrets(text.slice(0, 2 * length))
  return masked.length > length ? `${masked.slice(0, length)}…` : masked
}
