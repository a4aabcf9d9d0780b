import { issueMessage } from '@payment-intents/contract'
import { type Issue, PaymentIntentsError, rejected } from '../errors/paymentIntentsError.ts'
import { jsonIssue } from './jsonIssue.ts'

/** The part of a zod schema that is used here. */
export type Schema = {
  safeParse(
    value: unknown,
    options: { error: typeof issueMessage },
  ): { error?: { issues: readonly SchemaIssue[] } | undefined }
}

type SchemaIssue = {
  readonly code: string
  readonly path: PropertyKey[]
  readonly message: string
  /** With `invalid_value`: the values that the schema accepts. */
  readonly values?: readonly unknown[] | undefined
  /** With `invalid_union`: the field that selects the object's schema. */
  readonly discriminator?: string | undefined
}

/** The issues that a schema finds. */
function issuesOf(schema: Schema, value: unknown): Issue[] {
  return toIssues(schemaIssues(schema, value))
}

/** The issues in a response: a later server may add values to an enumeration, and types of objects to a union. */
export function responseIssuesOf(schema: Schema, value: unknown): Issue[] {
  return toIssues(schemaIssues(schema, value).filter((issue) => !isLaterValue(issue, value)))
}

function isLaterValue({ values, discriminator, path }: SchemaIssue, value: unknown): boolean {
  const isOpen =
    values?.every((option) => typeof option === 'string') ?? discriminator !== undefined
  return isOpen && typeof path.reduce((at, key) => Object(at)[key], value) === 'string'
}

function schemaIssues(schema: Schema, value: unknown): readonly SchemaIssue[] {
  return schema.safeParse(value, { error: issueMessage }).error?.issues ?? []
}

function toIssues(issues: readonly SchemaIssue[]): Issue[] {
  return issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
}

/** The error for invalid parameters. */
function invalid(issues: readonly Issue[]) {
  const list = issues.map(({ path, message }) => (path ? `${path}: ${message}` : ofAll(message)))
  return rejected('invalid_body', `Nothing was sent: ${list.join('; ')}.`, issues)
}

/** An issue of no single parameter. */
function ofAll(message: string): string {
  if (message === 'is missing') return 'the parameters are missing'
  return message.startsWith('must ') ? `the parameters ${message}` : message
}

/** The error for an argument that throws on access: null instead of an object, or a getter. */
export function unreadable(noun: string, cause?: Error): PaymentIntentsError {
  const message = `${noun} cannot be read${cause ? ` (${cause.message})` : ''}: pass a plain object, or nothing.`
  return new PaymentIntentsError({ code: 'invalid_body', message, cause })
}

/**
 * Validates and serialises parameters.
 *
 * @throws PaymentIntentsError `invalid_body`
 */
export function bodyOf(schema: Schema, params: unknown): string {
  const issues = issuesOf(schema, params)
  if (issues.length > 0) throw invalid(issues)
  // Only metadata contains values that no schema checks.
  const { metadata } = Object(params)
  const issue = metadata === undefined ? undefined : jsonIssue(metadata, 'metadata')
  if (issue) throw invalid([issue])
  return JSON.stringify(params)
}

/**
 * Validates parameters and writes them as a query: `{ metadata: { a: 'b' } }` becomes `?metadata[a]=b`.
 *
 * @param startingAfter the id after which the next page starts; not validated, since a server's ids may have any form
 * @throws PaymentIntentsError `invalid_body`
 */
export function queryOf(
  schema: Schema,
  params: unknown,
  startingAfter: string | undefined,
): string {
  const query = params === undefined ? {} : params
  const issues = issuesOf(schema, query)
  if (issues.length > 0) throw invalid(issues)
  const from = startingAfter === undefined ? {} : { starting_after: startingAfter }
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...Object(query), ...from })) {
    if (value === undefined) continue
    if (typeof value !== 'object' || value === null) pairs.append(name, String(value))
    else {
      for (const [key, text] of Object.entries(value)) pairs.append(`${name}[${key}]`, String(text))
    }
  }
  const text = pairs.toString()
  return text && `?${text}`
}

/**
 * Encodes an id for a path. An empty id, or `..`, would address another endpoint.
 *
 * @throws PaymentIntentsError `invalid_body`
 */
export function pathId(id: unknown): string {
  const isValidId = typeof id === 'string' && /^\w+$/.test(id)
  // Proxies log paths.
  if (isValidId && !id.includes('_secret_')) return id
  const message = isValidId
    ? 'is a client_secret; pass the id, which ends before _secret_'
    : `must be an id, such as pi_…: ${idAdvice(id)}`
  throw invalid([{ path: 'id', message }])
}

function idAdvice(value: unknown): string {
  if (Object.prototype.toString.call(value) === '[object Promise]') return 'await this promise'
  if (Object.hasOwn(Object(value), 'id')) return 'pass the `id` of this object'
  return value === undefined ? 'it is undefined' : 'letters, digits and underscores'
}
