import { z } from 'zod'

export type Env = Readonly<Record<string, string | undefined>>

/** Reads a variable, and stores its fault if it is invalid. */
export type ReadVariable = <Schema extends z.ZodType>(
  name: string,
  schema: Schema,
) => z.output<Schema>

/** A number; the description completes "must be" in a fault. */
export function integer(minimum: number, maximum: number, standard: number) {
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`
  return z
    .string()
    .regex(/^\s*\d{1,16}\s*$/)
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .default(standard)
    .describe(`a whole number ${range}, such as ${standard}`)
}

export function flag(standard: boolean) {
  return z.stringbool().default(standard).describe('true or false')
}

/** A comma-separated list. */
export function listOf<Entry extends z.ZodType>(entry: Entry) {
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value),
    z.array(entry),
  )
}

/** The message of a refusal for lack of entropy. */
export const notRandom = 'not random'

const secretNames = /SECRET|^DATABASE_URL$|^RPC_URL|^RELAYER_KEY|^SMTP_URL$/
const shownLength = 60

/** The sentence about an invalid variable: what it must be and what it is; for a secret only its form. */
export function faultOf(name: string, value: string, schema: z.ZodType, error: z.ZodError): string {
  const must = schema.description
    ? `must be ${schema.description}`
    : error.issues.map(({ message }) => message).join(', ')
  const isGuessable = error.issues.some(({ message }) => message === notRandom)
  const shown = secretNames.test(name)
    ? `${formOf(value)}${isGuessable ? `, which are ${notRandom}` : ''}`
    : JSON.stringify(cut(value))
  const quoted = /^\s*(["']).*\1\s*$/s.test(value) ? '; remove the quotation marks' : ''
  return `${name}: ${must}; found ${shown}${quoted}`
}

/** Describes a value that may hold a password or a key: by its scheme, if any, and its length. */
function formOf(value: string): string {
  const characters = `${value.length} ${value.length === 1 ? 'character' : 'characters'}`
  const [scheme] = /^[a-z][a-z0-9+]{1,15}:\/\//i.exec(value) ?? []
  return scheme ? `${characters} that begin with ${scheme}` : characters
}

function cut(value: string): string {
  return value.length > shownLength ? `${value.slice(0, shownLength)}…` : value
}
