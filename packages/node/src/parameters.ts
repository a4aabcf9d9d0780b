import { type Issue, PaymentIntentsError, rejected } from './errors.ts'

/** As much of a schema as is needed here. */
export type Schema = { safeParse(value: unknown): Parsed }

export type Parsed = {
  error?: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined
}

/** What a schema found wrong; nothing when it found nothing. */
export function issuesOf(parsed: Parsed): Issue[] {
  const issues = parsed.error?.issues ?? []
  return issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
}

/** The error of wrong parameters. */
export function invalid(issues: readonly Issue[]) {
  const list = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  return rejected(
    'invalid_body',
    `Nothing was sent, since the parameters are wrong: ${list.join('; ')}.`,
    issues,
  )
}

/** The error of what throws when it is read: null in the place of an object, or a getter. */
export function unreadable(what: string, cause?: Error): PaymentIntentsError {
  const message = `${what} cannot be read${cause ? ` (${cause.message})` : ''}: pass a plain object, or nothing.`
  return new PaymentIntentsError({ code: 'invalid_body', message, cause })
}

/**
 * Parameters as a body.
 *
 * @throws PaymentIntentsError `invalid_body`
 */
export function bodyOf(schema: Schema, params: unknown): string {
  const issues = issuesOf(schema.safeParse(params))
  if (issues.length > 0) throw invalid(issues)
  return JSON.stringify(params)
}

/**
 * An id as it stands in a path. An empty one, or `..`, would lead to another endpoint.
 *
 * @throws PaymentIntentsError `invalid_body`
 */
export function pathId(id: unknown): string {
  const isWord = typeof id === 'string' && /^\w+$/.test(id)
  // A path stands in the logs of whatever it passes.
  if (isWord && !id.includes('_secret_')) return id
  const message = isWord
    ? 'is a client_secret; pass the id, which ends before _secret_'
    : 'must be an id: letters, digits and underscores'
  throw invalid([{ path: 'id', message }])
}
