/** Masks the API key and every client secret in a text. */
export function redact(text: string, apiKey: string): string {
  return text
    .replaceAll(apiKey, '[api key]')
    .replace(/("client_secret"\s*:\s*)"[^"]*("|$)/g, '$1"[client secret]"')
    .replace(/_secret_[\w-]+/g, '_secret_[masked]')
}

/**
 * A copy of a foreign error with only what explains it: HTTP libraries hang the request, and with it the
 * Authorization header, on theirs.
 */
export function redactCause(error: unknown, apiKey: string, depth = 0): Error | undefined {
  if (!isError(error) || depth > 4) return undefined
  const copy = new Error(redact(error.message, apiKey))
  copy.name = redact(String(error.name), apiKey)
  copy.stack = redact(String(error.stack), apiKey)
  const code = errorCode(error)
  if (code !== undefined) Object.assign(copy, { code: redact(code, apiKey) })
  const inner = redactCause(error.cause ?? error.errors?.[0], apiKey, depth + 1)
  if (inner) copy.cause = inner
  return copy
}

/** The `ECONNREFUSED` or `UND_ERR_SOCKET` of an error or of what caused it. */
export function errorCode(error: unknown, depth = 0): string | undefined {
  if (!isError(error) || depth > 4) return undefined
  return typeof error.code === 'string' ? error.code : errorCode(error.cause, depth + 1)
}

type ForeignError = Error & { code?: unknown; errors?: readonly unknown[] }

/** By shape, since what `fetch` throws can be of another realm than this module. */
function isError(value: unknown): value is ForeignError {
  return (
    typeof value === 'object' &&
    value !== null &&
    'message' in value &&
    typeof value.message === 'string'
  )
}
