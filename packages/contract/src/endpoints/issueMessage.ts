import type { z } from 'zod'
import { nearestName } from '../options.ts'

/**
 * Describes an invalid value in the words of the API's errors: "must be an integer, not a string". It omits the value
 * itself, which may be a secret. A schema's own message takes precedence.
 * @example createPaymentIntentSchema.safeParse(body, { error: issueMessage })
 */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : mustBe(issue.expected, issue.input, isOfUnits(issue.path))
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return limited(
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
        issue.origin,
      )
    case 'too_big':
      return limited(
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
        issue.origin,
      )
    case 'unrecognized_keys':
      return unknownProperties(issue.keys, issue.inst)
    default:
      return undefined
  }
}

const nouns = new Map([
  ['array', 'an array'],
  ['boolean', 'true or false'],
  ['int', 'an integer'],
  ['null', 'null'],
  ['number', 'a number'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['string', 'a string'],
])

function mustBe(expected: string, input: unknown, isOfUnits: boolean): string {
  const noun = isOfUnits
    ? 'an integer in units of 0.000001 USDC'
    : (nouns.get(expected) ?? expected)
  const isNumberOfAnotherForm = typeof input === 'number' && ['number', 'int'].includes(expected)
  return isNumberOfAnotherForm ? `must be ${noun}` : `must be ${noun}, not ${kindOf(input)}`
}

/** Whether the field is an amount, which a developer may have passed as a decimal number of USDC. */
function isOfUnits(path: readonly PropertyKey[] | undefined): boolean {
  return String(path?.at(-1)).endsWith('_units')
}

/** @param schema of the object; its names are listed unless each key is nearly one of them */
function unknownProperties(keys: readonly string[], schema: unknown): string {
  const { shape = {} } = schema as { shape?: object }
  const allowedNames = Object.keys(shape)
  const nearest = keys.map((key) => nearestName(key, allowedNames))
  const problems = keys.map((key, index) => {
    const guess = nearest[index]
    return `${key} is not a known property${guess === undefined ? '' : ` (did you mean ${guess}?)`}`
  })
  const isListed = allowedNames.length > 0 && nearest.includes(undefined)
  return `${problems.join('; ')}${isListed ? `; known are ${allowedNames.join(', ')}` : ''}`
}

function kindOf(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'an array'
  if (typeof input === 'boolean') return String(input)
  const name = Object.getPrototypeOf(Object(input))?.constructor?.name
  // A Map, or an object of a class: calling it an object would explain nothing.
  if (typeof input === 'object' && name && name !== 'Object') return `a ${name}`
  return nouns.get(typeof input) ?? `a ${typeof input}`
}

/** @param origin the counted or compared type, as zod names it */
function limited(how: string, limit: number | bigint, origin: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : null
  if (!unit) return `must be ${how} ${limit}`
  return `must have ${how} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}
