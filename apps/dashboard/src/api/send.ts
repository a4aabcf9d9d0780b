import { ApiError, isApiError } from './apiError.ts'
import type { Method } from './endpointTypes.ts'
import { currentMode } from './mode.ts'

type Request = {
  readonly method: Method
  readonly path: string
  readonly query?: string
  readonly body?: unknown
  readonly signal?: AbortSignal
}

let prove: () => Promise<boolean> = async () => false
let proving: Promise<boolean> | null = null

/** Sets the function that prompts the person for a proof of identity. It returns whether they proved it. */
export function onProofNeeded(proof: () => Promise<boolean>): void {
  prove = proof
}

/**
 * Sends a request of the signed-in person, and again after a proof of identity if the service requires it.
 *
 * @throws {ApiError}
 */
export async function send<Response>(request: Request): Promise<Response> {
  // Both attempts have the same idempotency key.
  const headers = headersOf(request)
  try {
    return (await sendOnce(request, headers)) as Response
  } catch (error) {
    if (!isApiError(error, 'proof_required') || !(await proveOnce())) throw error
    return (await sendOnce(request, headers)) as Response
  }
}

/** Requests that need a proof at the same time share it. */
function proveOnce(): Promise<boolean> {
  proving ??= prove().finally(() => {
    proving = null
  })
  return proving
}

async function sendOnce(request: Request, headers: Record<string, string>): Promise<unknown> {
  const { method, path, query = '', body, signal } = request
  const response = await fetch(path + query, {
    ...{ method, headers, credentials: 'same-origin' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, { message: 'The service cannot be reached.' })
  })
  const read = await response.json().catch(() => ({}))
  if (!response.ok) throw new ApiError(response.status, read)
  return read
}

function headersOf({ method, body }: Request): Record<string, string> {
  return {
    'payment-intents-mode': currentMode(),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'POST' ? { 'idempotency-key': crypto.randomUUID() } : {}),
  }
}
