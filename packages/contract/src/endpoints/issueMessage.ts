import type { z } from 'zod'

/**
 * Describes a fault of a value, in the words of the API's errors: "must be an integer, not a string". The value itself,
 * which may be a secret, is not in it. A schema's own message goes before it.
 *
 * @example createPaymentIntentSchema.safeParse(body, { error: issueMessage })
 */
export const issueMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : mustBe(issue.expected, issue.input)
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
      return issue.keys.length > 1
        ? `${issue.keys.join(', ')} are not known properties`
        : `${issue.keys[0]} is not a known property`
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

function mustBe(expected: string, input: unknown): string {
  const noun = nouns.get(expected) ?? expected
  const isNumberOfAnotherForm = typeof input === 'number' && ['number', 'int'].includes(expected)
  return isNumberOfAnotherForm ? `must be ${noun}` : `must be ${noun}, not ${kindOf(input)}`
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

/** @param origin what is counted or compared, as zod names it */
function limited(how: string, limit: number | bigint, origin: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'item' : null
  if (!unit) return `must be ${how} ${limit}`
  return `must have ${how} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}
