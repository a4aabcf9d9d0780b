import type { ErrorCode } from '@payment-intents/contract'

/** A request that failed: refused by the service, or `unreachable` and without a status. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode | 'unreachable'
  readonly status: number
  readonly reason: string | undefined
  /** Invalid fields of the request; `path` is the field's. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]

  constructor(status: number, body: Partial<ErrorResponse>) {
    const { error = 'unreachable', issues = [], reason } = body
    super(body.message || issues.map(({ path, message }) => `${path} ${message}`).join('. '))
    this.code = error
    this.status = status
    this.reason = reason
    this.issues = issues
  }
}

type ErrorResponse = {
  readonly error: ErrorCode
  readonly message: string
  readonly reason: string
  readonly issues: readonly { readonly path: string; readonly message: string }[]
}

/** @param code of the error table */
export function isApiError(error: unknown, code?: ApiError['code']): error is ApiError {
  return error instanceof ApiError && (code === undefined || error.code === code)
}
