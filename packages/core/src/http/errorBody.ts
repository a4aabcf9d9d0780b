import type { ErrorBody } from '@payment-intents/contract'
import type { HttpError } from './httpError.ts'
import { withoutSecrets } from './withoutSecrets.ts'

/** Callers choose the names and values that errors quote: errors quote neither many nor long ones in full. */
const most = { issues: 20, message: 600, path: 100 }

/** The body of an error. Quotes of the request are cut, and secrets that callers put in the wrong place are masked. */
export function errorBody({ code, message, details }: HttpError, requestId: string): ErrorBody {
  const { issues, ...others } = details
  return {
    error: code,
    message: quoted(message, most.message),
    request_id: requestId,
    ...others,
    ...(issues && {
      issues: issues.slice(0, most.issues).map(({ path, message }) => ({
        path: quoted(path, most.path),
        message: quoted(message, most.message),
      })),
    }),
  }
}

function quoted(text: string, length: number): string {
  const masked = withoutSecrets(text.slice(0, 2 * length))
  return masked.length > length ? `${masked.slice(0, length)}…` : masked
}
