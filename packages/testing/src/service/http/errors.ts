import { type ErrorBody, errorTable } from '@payment-intents/contract'
import type { HttpError } from '@payment-intents/rules'
import type { Answer } from './answer.ts'

export function presentError(error: HttpError, requestId: string): Answer {
  const { code, message, details, headers } = error
  const body: ErrorBody = { error: code, message, request_id: requestId, ...details }
  return {
    status: errorTable[code].status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}
